/** Run in processes of their own by determinism.test.ts: everything that could betray the host, printed. */
import { openTerminal } from '../../sandbox/embedded.ts';
import { aTask } from './a-task.ts';

const COMMANDS = [
  'date; date +%s.%N; date -d "2024-01-02 03:04" +%s; date -d yesterday',
  'ls -la; ls -l --full-time; stat amber; stat -c "%y %Y %n" amber attic',
  'echo new > fresh; touch amber; mkdir -p a/b; ls -lR; stat fresh; [ fresh -nt empty ] && echo newer',
  'touch -d "2020-05-06 07:08" old.tmp; ls -l old.tmp; touch -t 202001020304 empty; ls -l empty',
  'echo $RANDOM $RANDOM $SRANDOM $SECONDS $EPOCHSECONDS $EPOCHREALTIME $$ $BASHPID $PPID $UID',
  'time ls; { time ls; } 2> took; cat took; bash -c "time ls"',
  'sleep 30; echo $SECONDS; sleep 1 & wait; times; ulimit -a; hostname; whoami; uname -a; id',
  'awk "BEGIN { print rand(); srand(); print srand(), rand(); print strftime() }"; sort -R amber; shuf amber',
  'printf "%(%F %T)T %s\\n" -1 x; x="\\t \\d \\D{%s} \\A"; echo "${x@P}"',
  'find / -mtime -1; find . -mmin -5; find . -newermt 2024-01-01; find . -newer old.tmp; find . -printf "%t %p\\n"',
  'mktemp; mktemp -d; tempfile; ls /tmp; cat /proc/uptime /proc/self/stat /dev/urandom | head -c 20; env; set',
  'a=RAN; b=DOM; v=$a$b; echo ${!v}; eval "echo \\$$v"; echo $((RANDOM)); case $RANDOM in *) echo $RANDOM;; esac',
  'du -a; tree -D; file *; tar cf x.tar amber; gzip -c amber | md5sum; md5sum *; jq -n now; which ls; type -a ls',
];

for (const trusted of [true, false]) {
  const terminal = await openTerminal(aTask(), { trusted });
  for (const command of COMMANDS) console.log(JSON.stringify([command, await terminal.run(command)]));
}
