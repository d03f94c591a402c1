import { openTerminal } from '../sandbox/embedded.ts';
import { generateTask } from '../tasks/builtin/generate-task.ts';
const task=generateTask({family:'report',split:'train',seed:3});
console.log(task.instruction, task.files.map(f=>f.path));
for (const trusted of [true,false]) { const t=await openTerminal(task,{trusted});
for (const c of ['pwd; ls -l; ls -la /','cd / && X=5; export Y=6; unset HOME','echo $X $Y $HOME; pwd; env','date; date +%s; sleep 3; echo $SECONDS $RANDOM $RANDOM; time ls; date -d "2024-01-02 03:04" +%s','eval "time ls"','touch /a; ls -l /a; stat /a; find / -mtime -1 | head -3','awk "BEGIN{srand(); print srand(), rand(), systime()}"','x="\\t \\d"; echo "${x@P}"','printf "%(%s)T\\n"','echo $SECONDS $RANDOM $$ $BASHPID','mkdir -p /usr/bin; ls /usr; which ls; type ls','PWD=/nope','pwd','exit 5','cat /proc/version; ls /proc','sleep 100']) { const s=performance.now(); const r=await t.run(c); console.log(JSON.stringify(c), r.exitCode, r.timedOut, JSON.stringify(r.stdout.slice(0,400)), JSON.stringify(r.stderr.slice(0,200)), (performance.now()-s).toFixed(1)); }
}
console.log(new Date().getFullYear(), Math.random());
