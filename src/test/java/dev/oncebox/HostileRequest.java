package dev.oncebox;

import java.util.Map;
import java.util.Random;

/** A kind of request that means ill. None of them is to be answered with a success. */
enum HostileRequest {
    WRONG_TOKEN {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            String token = PageHome.TOKEN.substring(random.nextInt(PageHome.TOKEN.length()));
            return http.ask("POST", path(random, key), Map.of("Authorization", "Bearer x" + token));
        }
    },
    NO_TOKEN {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            return http.ask("POST", path(random, key), Map.of("Content-Length", "0"));
        }
    },
    TOKEN_ELSEWHERE {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            return http.ask(
                    "POST",
                    path(random, key) + (random.nextBoolean() ? "?token=" + PageHome.TOKEN : ""),
                    Map.of("Cookie", "token=" + PageHome.TOKEN, "X-Token", PageHome.TOKEN));
        }
    },
    WRONG_HOST {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            String host =
                    pick(random, "evil.example.com", "127.0.0.1.example.com", "", "127.0.0.1@evil", "[::2]", "a b");
            return http.ask("POST", path(random, key), Map.of("Host", host, "Authorization", GOOD));
        }
    },
    FOREIGN_PAGE {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            return http.ask(
                    "POST",
                    path(random, key),
                    Map.of(
                            "Origin",
                            pick(random, "null", "http://evil.example.com", "file://"),
                            "Authorization",
                            GOOD));
        }
    },
    TRAVERSAL {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            String up = pick(random, "/..", "/%2e%2e", "/..%2f", "/%252e%252e", "/.%00./", "/..;", "\\..\\");
            return http.ask("GET", "/page" + up.repeat(1 + random.nextInt(8)) + "/data/http.token", Map.of());
        }
    },
    INJECTION {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            String name = pick(random, "0%20OR%201=1", "%27;DROP%20TABLE%20call;--", "$%7Benv:PATH%7D", "nobody", "-1");
            return http.ask("GET", "/api/files/" + name + "/receipt", Map.of("CamelJdbcParameters", "x", "file", "1"));
        }
    },
    LARGE_BODY {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            return http.send("POST " + path(random, key) + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: " + GOOD
                    + "\r\nContent-Length: 99999999999\r\n\r\n" + "x".repeat(random.nextInt(100_000)));
        }
    },
    LARGE_HEAD {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            return random.nextBoolean()
                    ? http.ask("GET", "/" + "a".repeat(10_000), Map.of())
                    : http.ask("GET", "/api/status", Map.of("X-Long", "a".repeat(20_000)));
        }
    },
    CHUNKS {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            return http.send("POST " + path(random, key) + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: " + GOOD
                    + "\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"
                    + pick(random, "ffffffffff\r\nx", "0\r\n\r\nGET / HTTP/1.1\r\n", "zz\r\n"));
        }
    },
    METHOD {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            String method = pick(random, "TRACE", "OPTIONS", "CONNECT", "DELETE", "PUT", "BREW", "PATCH");
            return http.ask(method, path(random, key), Map.of("Content-Length", "0"));
        }
    },
    NOISE {
        @Override
        RawHttp.Reply send(RawHttp http, Random random, String key) {
            var noise = new StringBuilder();
            random.ints(1 + random.nextInt(300), 0, 256).forEach(each -> noise.append((char) each));
            return http.send(noise.append("\r\n\r\n").toString());
        }
    };

    private static final String GOOD = "Bearer " + PageHome.TOKEN;

    abstract RawHttp.Reply send(RawHttp http, Random random, String key);

    /** A request of a kind that chance chooses, sent when it is asked to. */
    static Drawn draw(Random random, String key) {
        HostileRequest kind = values()[random.nextInt(values().length)];
        return http -> kind.send(http, random, key);
    }

    /** One request, about to be sent. */
    @FunctionalInterface
    interface Drawn {
        RawHttp.Reply send(RawHttp http);
    }

    private static String path(Random random, String key) {
        String decision = pick(random, "resend", "accept-loss", "retry", "RESEND");
        return random.nextInt(4) == 0 ? "/api/all/" + decision + "/1" : "/api/calls/" + key + "/" + decision;
    }

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
