'use strict';
// What stands in files, items and replies was written by strangers: it reaches the page as text, never as markup.

const POLL_MILLIS = 2000;
const SLOW_POLLS = 5;
const RATE_SECONDS = 60;
/** After so many samples without an end nothing goes on, whatever the last minute was. */
const STILL = 3;
const LONGEST_TEXT = 400;

const byId = id => document.getElementById(id);
const number = new Intl.NumberFormat('en-US');
const precise = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
let token = sessionStorage.getItem('token');
let polls = 0;
let last = {};
let plot = null;
let curve = { at: [], answered: [], failed: [], sent: [] };
const seen = new Map();
const open = new Map();

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'onclick') node.addEventListener('click', value);
    else if (value !== null && value !== false && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined).map(child =>
    child instanceof Node ? child : document.createTextNode(String(child))));
  return node;
}

/** No control character, and none that turns the direction around, does what it does. */
function shown(text) {
  const visible = String(text ?? '').replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, c =>
    '\\u' + c.codePointAt(0).toString(16).padStart(4, '0'));
  return visible.length > LONGEST_TEXT ? visible.slice(0, LONGEST_TEXT) + '…' : visible;
}

const count = (n, one, many) => number.format(n) + ' ' + (n === 1 ? one : many || one + 's');
const money = sum => sum === null || sum === undefined ? 'unknown' : precise.format(sum);
const moment = value => new Date(value);
const clock = value => moment(value).toLocaleTimeString('en-GB');

function when(value) {
  if (!value) return '';
  const date = moment(value);
  const today = date.toDateString() === new Date().toDateString();
  return el('time', { datetime: date.toISOString(), title: date.toISOString() },
    today ? clock(value) : date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' }) + ' ' + clock(value));
}

function span(seconds) {
  if (!isFinite(seconds)) return '';
  if (seconds < 90) return Math.max(1, Math.round(seconds)) + ' s';
  if (seconds < 5400) return Math.round(seconds / 60) + ' min';
  if (seconds < 172800) return Math.round(seconds / 3600) + ' h';
  return Math.round(seconds / 86400) + ' days';
}

class Refused extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

async function ask(path, method) {
  const response = await fetch(path, {
    method: method || 'GET', cache: 'no-store', credentials: 'omit', redirect: 'error',
    headers: token && (method || wanted) ? { Authorization: 'Bearer ' + token } : {},
  });
  const said = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, said.error || 'The answer was ' + response.status + '.');
  return said;
}
/** Whether even reading wants the token: the page is seen from another machine. */
let wanted = false;

function set(id, key, data, draw) {
  const text = JSON.stringify(data);
  if (last[key] === text) return;
  last[key] = text;
  byId(id).replaceChildren(...[draw(data)].flat().filter(Boolean));
}

function figure(title, big, mood, ...lines) {
  return el('dl', { class: 'figure' }, el('dt', {}, title), el('dd', { class: 'big ' + (mood || '') }, big),
    ...lines.filter(Boolean).map(line => line instanceof Node ? line : el('dd', {}, line)));
}

/** Items that came to their end in a second, over the last minute. */
function rate() {
  const n = curve.at.length;
  if (n < 2) return 0;
  let first = n - 1;
  while (first > 0 && curve.at[n - 1] - curve.at[first - 1] <= RATE_SECONDS * 1000) first--;
  const seconds = (curve.at[n - 1] - curve.at[first]) / 1000;
  const ended = i => curve.answered[i] + curve.failed[i];
  const still = n > STILL && ended(n - 1) === ended(n - 1 - STILL);
  return seconds > 0 && !still ? Math.max(0, (ended(n - 1) - ended(first)) / seconds) : 0;
}

function figures(all) {
  const s = all.status;
  const ended = s.items.answered + s.items.failed;
  const speed = rate();
  const left = s.items.pending > 0 && speed > 0 ? 'about ' + span(s.items.pending / speed) + ' left' : '';
  const trouble = s.calls.doubt + s.calls.dead;
  return [
    figure('Items', number.format(ended) + ' of ' + number.format(s.items.total), '',
      el('progress', { max: Math.max(1, s.items.total), value: ended, class: s.items.pending ? '' : 'done',
        'aria-label': 'items with their end' }),
      number.format(s.items.answered) + ' answered, ' + number.format(s.items.failed) + ' failed, '
        + number.format(s.items.pending) + ' pending', left),
    figure('Money spent', money(s.cost), s.cost === null ? 'warn' : '',
      s.cost === null ? 'An engine has no price set, or did not say what it used.' : 'in the currency of the prices',
      'saved ' + (all.saved === null ? 'unknown' : s.reused ? 'about ' + money(all.saved) : '0')),
    figure('Answers', number.format(s.new + s.reused), '', number.format(s.new) + ' new, ' + number.format(s.reused)
      + ' reused', count(s.sent, 'send') + ' ever started'),
    figure('Calls', number.format(s.calls.ready + s.calls.sent + s.calls.polling) + ' to go', '',
      number.format(s.calls.ready) + ' ready, ' + number.format(s.calls.sent) + ' in flight, '
        + number.format(s.calls.polling) + ' polling', number.format(s.calls.done) + ' done'),
    figure('Waits for a person', number.format(trouble), s.calls.doubt ? 'warn' : s.calls.dead ? 'bad' : 'good',
      count(s.calls.doubt, 'call') + ' in doubt', count(s.calls.dead, 'dead letter')),
    figure('Files', number.format(s.files.delivered) + ' of ' + number.format(s.files.taken), '', 'delivered',
      s.files.rejected ? number.format(s.files.rejected) + ' rejected' : ''),
  ];
}

function table(heads, rows, none) {
  if (!rows.length) return el('p', { class: 'quiet' }, none);
  return el('table', {}, el('thead', {}, el('tr', {}, ...heads.map(([head, style]) => el('th', { class: style }, head)))),
    el('tbody', {}, ...rows));
}

function breaker(engine) {
  const mood = { closed: 'good', open: 'bad', probing: 'warn' }[engine.breaker] || '';
  return el('span', { class: mood }, engine.breaker);
}

function limits(limit) {
  if (!limit) return '–';
  return [number.format(limit.concurrency) + ' at once',
    limit.requestsPerMinute ? number.format(limit.requestsPerMinute) + ' requests/min' : '',
    limit.tokensPerMinute ? number.format(limit.tokensPerMinute) + ' tokens/min' : ''].filter(Boolean).join(', ');
}

function engines(all) {
  const rows = Object.entries(all).map(([name, engine]) => el('tr', {},
    el('td', { class: 'short' }, shown(name)), el('td', { 'data-label': 'breaker' }, breaker(engine)),
    el('td', { class: 'number', 'data-label': 'in flight' }, number.format(engine.inFlight)),
    el('td', { 'data-label': 'limits' }, limits(current.status.limits[name])),
    el('td', { class: 'number', 'data-label': 'wait for their time' }, number.format(engine.waiting || 0)),
    el('td', { class: 'number', 'data-label': 'accepted' }, number.format(engine.polling || 0)),
    el('td', { 'data-label': engine.breaker === 'closed' ? 'next' : 'next probe' }, when(engine.resumesAt || engine.nextDue) || '–'),
    el('td', { class: 'why' }, engine.reason ? shown(engine.reason) : '', engine.orphaned
      ? ' It is not configured as it was, and nobody asks it: oncebox doubt list.' : '')));
  return table([['Engine'], ['Breaker'], ['In flight', 'number'], ['Limits'], ['Wait for their time', 'number'],
    ['Accepted', 'number'], ['Next probe'], ['Why']], rows, 'No engine is configured.');
}

function nodes(all) {
  return table([['Host'], ['Process', 'number'], ['Since'], ['Alive until']], all.map(node => el('tr', {},
    el('td', {}, shown(node.host)), el('td', { class: 'number', 'data-label': 'process' }, node.pid),
    el('td', { 'data-label': 'since' }, when(node.started)),
    el('td', { 'data-label': 'alive until' }, when(node.lease)))), 'No process works on the ledger.');
}

function timeLeft(file, now) {
  const past = (seen.get(file.id) || []).filter(each => now - each.at < RATE_SECONDS * 1000);
  past.push({ at: now, pending: file.pending });
  seen.set(file.id, past);
  const done = past[0].pending - file.pending;
  return file.pending > 0 && done > 0 ? 'about ' + span(file.pending * (now - past[0].at) / 1000 / done) + ' left' : '';
}

const STATES = { TAKING: 'is being read', TAKEN: 'under way', DELIVERED: 'delivered' };

function files(all, now) {
  const rows = all.map(file => {
    const ended = file.items - file.pending;
    const finished = file.state === 'DELIVERED';
    const left = timeLeft(file, now);
    return el('tr', { 'data-file': file.id },
      el('td', { class: 'name' }, el('button', { type: 'button', class: 'link', 'aria-expanded': open.has('f' + file.id),
        onclick: () => toggle('f' + file.id, () => receipt(file.id)) }, el('bdi', {}, shown(file.path))),
        open.get('f' + file.id) || null),
      el('td', { class: 'bar' }, el('progress', { max: Math.max(1, file.items), value: ended,
        class: finished ? 'done' : '', 'aria-label': 'items with their end' })),
      el('td', { class: 'number' }, number.format(ended) + ' of ' + number.format(file.items)),
      el('td', { class: finished ? 'good' : '' }, STATES[file.state] + (left ? ', ' + left : '')),
      el('td', { 'data-label': finished ? 'at' : 'since' }, when(file.delivered || file.received)));
  });
  return table([['File'], ['Progress'], ['Items', 'number'], ['State'], ['When']], rows,
    'Nothing was dropped yet. Drop a file into the inbox.');
}

async function toggle(key, load) {
  if (open.has(key)) open.delete(key);
  else {
    open.set(key, el('p', { class: 'quiet' }, 'Asking…'));
    last = {};
    draw();
    try { open.set(key, await load()); } catch (e) { open.set(key, el('p', { class: 'bad' }, e.message)); }
  }
  last = {};
  draw();
}

async function receipt(id) {
  const r = await ask('/api/files/' + id + '/receipt');
  const failures = r.failed + r.invalid > 0 ? await ask('/api/files/' + id + '/failures') : [];
  const cost = precise.format(r.cost / 1e9);
  const lines = [
    ['items', number.format(r.items) + ': ' + number.format(r.answered) + ' answered, ' + number.format(r.failed)
      + ' failed, ' + number.format(r.invalid) + ' invalid, ' + number.format(r.items - r.answered - r.failed - r.invalid)
      + ' pending'],
    ['answers', number.format(r.fresh) + ' new, ' + number.format(r.reused) + ' reused'
      + (r.variants ? ', ' + number.format(r.variants) + ' that differ from another in white space alone' : '')],
    ['sends', number.format(r.sends) + (r.doubts ? ', ' + number.format(r.doubts) + ' perhaps paid in vain' : '')],
    ['tokens', number.format(r.input) + ' in, ' + number.format(r.output_tokens) + ' out'],
    ['cost', r.unpriced ? 'unknown' + (r.cost ? ', at least ' + cost : '') : cost],
    ['job', shown(r.job)],
    ['received', when(r.received)],
    r.output ? ['delivered', el('span', {}, when(r.delivered), ' as ', el('bdi', {}, shown(r.output)))] : null,
  ].filter(Boolean);
  return el('div', {}, el('dl', { class: 'receipt' }, ...lines.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
    failures.length ? el('ul', { class: 'events' }, ...failures.map(f => el('li', {}, el('span', { class: 'kind bad' }, shown(f.code)),
      'line ' + f.line + (f.id ? ', id ' : ''), f.id ? el('bdi', {}, shown(f.id)) : '', ': ' + shown(f.reason)))) : null);
}

async function journal(key) {
  const events = await ask('/api/calls/' + key + '/journal');
  return el('ul', { class: 'events' }, ...events.map(e => el('li', {}, el('span', { class: 'kind' }, e.event), when(e.ts),
    [e.attempt ? ' · attempt ' + e.attempt : '', e.engine ? ' · ' + shown(e.engine) : '',
      e.charged ? ' · charged: ' + e.charged : '', e.cost !== undefined ? ' · cost ' + money(e.cost) : '',
      e.requestId ? ' · provider’s id ' + shown(e.requestId) : ''].join(''), e.detail ? el('br') : null,
    e.detail ? shown(e.detail) : null)));
}

const WORDS = {
  resend: { button: 'Send again', title: 'Send this call again?',
    text: c => 'It was sent ' + count(c.sends, 'time') + ', and nobody knows whether it was processed. Sent again, it may be paid twice.' },
  'accept-loss': { button: 'Accept loss', title: 'Give this call up?',
    text: c => 'Nothing is sent. ' + count(c.items, 'item') + ' will have an error line instead of an answer. What it cost so far may be lost.' },
  retry: { button: 'Retry', title: 'Try this dead letter again?',
    text: c => 'It is sent again with all its attempts, and its files are delivered anew.'
      + (c.attempts ? ' ' + count(c.attempts, 'attempt') + ' at it may have been charged already.' : ' No attempt at it was charged.') },
};

function price(decision, calls = 1) {
  if (decision === 'accept-loss') return 'This costs nothing more.';
  const s = current.status.status;
  return s.cost !== null && s.new > 0 && s.cost > 0
    ? 'It may cost about ' + money(calls * s.cost / s.new) + ', as much as ' + (calls === 1 ? 'a call' : 'so many calls') + ' did so far.'
    : 'What it costs is unknown.';
}

function decide(decision, call) {
  const words = WORDS[decision];
  dialog(words.title, words.text(call), price(decision), call.key, words.button, !token, async () => {
    await ask('/api/calls/' + call.key + '/' + decision, 'POST');
    polls = 0;
    await poll();
  });
}

const ALL_WORDS = {
  resend: { button: 'Send all again', title: n => 'Send ' + n + ' in doubt again?',
    text: 'Each was sent, and nobody knows whether it was processed. Sent again, each may be paid twice.' },
  'accept-loss': { button: 'Accept all losses', title: n => 'Give ' + n + ' in doubt up?',
    text: 'Nothing is sent. Their items will have error lines instead of answers. What they cost so far may be lost.' },
  retry: { button: 'Retry all', title: n => 'Try ' + n + ' that failed for good again?',
    text: 'Each is sent again with all its attempts, and its files are delivered anew. What was answered and purged is left out, and so is what cannot be sent any more.' },
};

/** One yes for all that wait now. A part at a time; what comes to wait meanwhile is not among them, and ends it. */
async function decideAll(decision) {
  const words = ALL_WORDS[decision];
  let { calls } = await ask('/api/all/' + decision);
  dialog(words.title(count(calls, 'call')), words.text, price(decision, calls), '', words.button, !token, async () => {
    try {
      for (let decided = 1; calls > 0 && decided > 0; calls -= decided)
        decided = (await ask('/api/all/' + decision + '/' + calls, 'POST')).decided;
    } finally {
      polls = 0;
      await poll();
    }
  });
}

function dialog(title, text, money, key, yes, wantsToken, act) {
  byId('ask-title').textContent = title;
  byId('ask-text').textContent = text;
  byId('ask-price').textContent = money;
  byId('ask-key').textContent = key;
  byId('ask-token').hidden = !wantsToken;
  byId('ask-token-value').value = '';
  byId('ask-error').textContent = '';
  const button = byId('ask-yes');
  button.textContent = yes;
  button.disabled = false;
  button.onclick = async () => {
    if (byId('ask-token-value').value) keep(byId('ask-token-value').value.trim());
    button.disabled = true;
    try {
      await act();
      byId('ask').close();
    } catch (e) {
      byId('ask-error').textContent = e.status === 401 ? 'That is not the token of this server.' : e.message;
      if (e.status === 401) { keep(null); byId('ask-token').hidden = false; }
    }
    button.disabled = false;
  };
  if (!byId('ask').open) byId('ask').showModal();
}

function keep(value) {
  token = value;
  if (value) sessionStorage.setItem('token', value); else sessionStorage.removeItem('token');
}

const TOKEN_TEXT = 'Changes, and looks from other machines, want the token: http.token of the settings, or what stands in the file data/http.token. It is kept until this tab is closed.';

byId('token').addEventListener('click', () => dialog('Token', TOKEN_TEXT, '', '', 'Keep', true, async () => poll()));
byId('ask-token-value').addEventListener('keydown', e => {
  if (e.key === 'Enter') { e.preventDefault(); byId('ask-yes').click(); }
});

function cases(all, kind) {
  if (!all.length) return null;
  const doubt = kind === 'doubts';
  const decisions = doubt ? ['resend', 'accept-loss'] : ['retry'];
  return [el('h3', {}, doubt ? 'In doubt: sent, and nobody knows what became of them' : 'Dead letters: failed for good'),
    all.length > 1 ? el('div', { class: 'buttons all' }, ...decisions.map(decision =>
      el('button', { type: 'button', 'data-all': decision, onclick: () => decideAll(decision) }, ALL_WORDS[decision].button))) : null,
    ...all.map(call => el('article', { class: 'case ' + (doubt ? '' : 'is-dead'), 'data-key': call.key },
      el('div', { class: 'top' },
        el('div', { class: 'what' },
          el('p', {}, el('strong', {}, el('bdi', {}, shown(call.file))), ' line ' + call.line, call.item ? ', id ' : '',
            call.item ? el('bdi', { class: 'item' }, shown(call.item)) : '',
            call.items > 1 ? ' and ' + count(call.items - 1, 'other item') : ''),
          el('p', { class: 'reason' }, el('span', { class: doubt ? 'warn' : 'bad' }, shown(call.code || 'unknown')), ': ' + shown(call.reason)),
          el('p', { class: 'quiet' }, shown(call.engine) + ' · job ' + shown(call.job) + ' · sent ' + count(call.sends, 'time')
            + ', ' + number.format(call.attempts) + ' perhaps or surely charged · ', when(call.ended || call.sent)),
          el('p', { class: 'key' }, call.key)),
        el('div', { class: 'buttons' }, ...decisions.map(decision =>
          el('button', { type: 'button', class: decision === 'accept-loss' ? '' : 'main', 'data-decision': decision,
            onclick: () => decide(decision, call) }, WORDS[decision].button)))),
      el('button', { type: 'button', class: 'link', 'aria-expanded': open.has(call.key),
        onclick: () => toggle(call.key, () => journal(call.key)) }, open.has(call.key) ? 'Hide the attempts' : 'Every attempt'),
      open.get(call.key) || null)),
    all.length >= 100 ? el('p', { class: 'quiet' }, 'There may be more; these are the first 100.') : null];
}

function perSecond(sums) {
  return sums.map((sum, i) => i === 0 ? null : Math.max(0, (sum - sums[i - 1]) * 1000 / Math.max(1, curve.at[i] - curve.at[i - 1])));
}

function drawPlot(anew) {
  const enough = curve.at.length > 1;
  byId('plot').hidden = !enough;
  byId('plot-empty').hidden = enough;
  if (!enough) return;
  const data = [curve.at.map(at => at / 1000), perSecond(curve.answered), perSecond(curve.sent)];
  if (plot && !anew) { plot.setData(data); return; }
  if (plot) plot.destroy();
  const style = getComputedStyle(document.documentElement);
  const color = name => style.getPropertyValue(name).trim();
  const axis = { stroke: color('--quiet'), grid: { stroke: color('--line'), width: 1 }, ticks: { stroke: color('--line'), width: 1 } };
  const value = (u, v) => v === null || v === undefined ? '–' : precise.format(Math.round(v * 10) / 10);
  plot = new uPlot({
    width: byId('plot').clientWidth, height: 190,
    cursor: { y: false }, scales: { y: { range: (u, min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [{ ...axis, space: 90, values: (u, ticks) => ticks.map(tick => clock(tick * 1000)) },
      { ...axis, size: 50 }],
    series: [{ label: 'at', value: (u, v) => v ? clock(v * 1000) : '–' },
      { label: 'answers/s', stroke: color('--main'), fill: color('--main') + '22', width: 2, value },
      { label: 'sends/s', stroke: color('--sent'), width: 1.5, dash: [5, 4], value }],
  }, data, byId('plot'));
}

new ResizeObserver(() => { if (plot) plot.setSize({ width: byId('plot').clientWidth, height: 190 }); }).observe(byId('plot'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawPlot(true));

const current = { status: null, files: [], doubts: [], dead: [] };

function draw() {
  const all = current.status;
  if (!all) return;
  const s = all.status;
  set('figures', 'figures', [all.saved, s.items, s.calls, s.files, s.cost, s.new, s.reused, s.sent, rate()], () => figures(all));
  set('engines', 'engines', s.engines, engines);
  set('nodes', 'nodes', s.nodes, nodes);
  set('files', 'files', current.files, () => files(current.files, all.now));
  set('doubts', 'doubts', current.doubts, data => cases(data, 'doubts'));
  set('dead', 'dead', current.dead, data => cases(data, 'dead'));
  byId('decisions').hidden = !current.doubts.length && !current.dead.length;
  const older = s.files.taken - s.files.delivered - current.files.filter(f => f.state !== 'DELIVERED').length;
  byId('files-note').textContent = current.files.length >= 100
    ? 'the newest 100 of ' + number.format(s.files.taken) + (older > 0 ? '; ' + number.format(older) + ' older ones are under way' : '') : '';
  byId('rate').textContent = rate() > 0 ? precise.format(Math.round(rate() * 10) / 10) + ' items a second' : '';
  const broken = Object.entries(s.engines).filter(([, engine]) => engine.breaker !== 'closed').map(([name]) => name);
  if (s.budget) mood('warn', 'The budget is used up: ' + shown(s.budget.reason));
  else if (broken.length) mood('bad', (broken.length > 1 ? 'Engines ' : 'Engine ') + shown(broken.join(', ')) + ' left in peace');
  else if (s.calls.doubt || s.calls.dead) mood('warn', 'Waits for a person');
  else if (s.items.pending) mood('good', 'At work');
  else mood('good', 'All done');
  document.title = (s.calls.doubt + s.calls.dead ? '(' + (s.calls.doubt + s.calls.dead) + ') ' : '') + 'Oncebox';
}

function mood(mood, text) {
  byId('state').dataset.mood = mood;
  byId('state').textContent = text;
}

async function poll() {
  try {
    current.status = await ask('/api/status');
    current.files = await ask('/api/files');
    const s = current.status.status;
    const slow = polls++ % SLOW_POLLS === 0;
    if (slow || s.calls.doubt !== current.doubts.length) current.doubts = await ask('/api/doubts');
    if (slow || s.calls.dead !== current.dead.length) current.dead = await ask('/api/dead');
    curve = await ask('/api/throughput');
    draw();
    drawPlot(false);
  } catch (e) {
    if (e.status === 401) {
      wanted = true;
      mood('warn', 'The token is wanted');
      if (!byId('ask').open) dialog('Token', TOKEN_TEXT, '', '', 'Keep', true, async () => { wanted = true; await ask('/api/status'); await poll(); });
    } else mood('bad', e instanceof Refused ? e.message : 'The runtime does not answer. What is shown may be old.');
  }
}

async function live() {
  if (!document.hidden) await poll();
  setTimeout(live, POLL_MILLIS);
}
document.addEventListener('visibilitychange', () => { if (!document.hidden) poll(); });
live();
