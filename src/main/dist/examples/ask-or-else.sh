#!/bin/sh
# Asks Oncebox for one file, and takes another way only when Oncebox says that this one has failed for good.
#
#   ask-or-else.sh FILE COMMAND [ARGUMENT…]
#
# Prints what COMMAND prints when it had to be taken, else the answer. Ends with 0 when there is an answer, with
# COMMAND's own exit code when that was taken, else with that of the ask: 42 or 3 mean "call me again later", and whoever
# takes another way then may pay twice. ONCEBOX names the program, ONCEBOX_HOME the home.
set -u

if [ $# -lt 2 ]; then
  echo "usage: ask-or-else.sh FILE COMMAND [ARGUMENT...]" >&2
  exit 2
fi
file=$1
shift

# In JSON, since a Java that cannot even start ends with 1 as well, and then nothing is known of the file.
told=$("${ONCEBOX:-oncebox}" ask --json "$file")
code=$?
case $code:$told in
  0:*) answer=$("${ONCEBOX:-oncebox}" ask "$file") && cat "$answer" ;;
  1:'{"status":"failed",'*) "$@" "$file" ;;
  1:*) exit 3 ;;
  *) exit $code ;;
esac
