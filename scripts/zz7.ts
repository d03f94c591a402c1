import { openTerminal } from '../sandbox/embedded.ts';
import { gradeChecks } from '../tasks/grade.ts';
import { taskSet } from '../tasks/builtin/task-set.ts';
import { TRAINED_FAMILIES } from '../tasks/builtin/families.ts';
import { createScriptedAgent } from '../tasks/builtin/agents/scripted-agent.ts';
const tasks=taskSet({families:[...TRAINED_FAMILIES],split:'train',count:500,seed:1});
const trusted=process.env.TR==="1"; for(let r=0;r<5;r++){ const c0=process.cpuUsage(); const s=performance.now(); let n=0;
for(const task of tasks){const t=await openTerminal(task,{trusted}); const a=createScriptedAgent('oracle',task,1); let last=null as any; let checks=await gradeChecks(task.checks,t.view);
 for(let k=0;k<9;k++){const c=a.next(last); if(c==='done')break; const x=await t.run(c); n++; last={text:(x.stdout+x.stderr).trimEnd(),exitCode:x.exitCode}; checks=await gradeChecks(task.checks,t.view);} if(checks.includes(0)) console.log('bad',task.instruction); }
 const c=process.cpuUsage(c0); console.log(trusted, n,'cmds', 'wall/s', (n/(performance.now()-s)*1000).toFixed(0),'cpu/s',(n/(c.user+c.system)*1e6).toFixed(0), 'ep/cpu-s', (500/(c.user+c.system)*1e6).toFixed(0)); }
