/** The page's style: system fonts, two columns of figures, one palette for light, one for dark, plain on paper. */
const LIGHT = `
  --paper:#fff; --ink:#1c2330; --soft:#5c6675; --rule:#e3e6ea; --wash:#f6f7f9; --band:#f1f3f6; --mark:#fff6dc;
  --strict:#15795a; --partial:#d19a2e; --none:#9aa1ab; --on:#fff; --good:21,121,90; --bad:190,58,70;
  --c1:#2c5fb8; --c2:#c4631c; --c3:#15795a; --c4:#7d4ea8; --c5:#707a88; --c6:#b53b49;
  --c7:#3d93b8; --c8:#8f7d2b; --c9:#b0588f; --c10:#4b5a8c; --c11:#8b5e3c; --c12:#a7b0bc;`;
const DARK = `
  --paper:#12161d; --ink:#e4e8ee; --soft:#98a3b3; --rule:#2a313c; --wash:#191f28; --band:#1a212b; --mark:#352d12;
  --strict:#43b88c; --partial:#e0b354; --none:#6d7684; --on:#0f1319; --good:67,184,140; --bad:232,112,122;
  --c1:#7aa5f2; --c2:#ec9a5c; --c3:#43b88c; --c4:#bb97e4; --c5:#9aa5b4; --c6:#ee8891;
  --c7:#72c3e6; --c8:#cdb95f; --c9:#e39cc8; --c10:#93a3dc; --c11:#c99b76; --c12:#5d6776;`;

const PALETTE = `:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
@media print{:root{color-scheme:light;${LIGHT}}}`;

/** What figures need that stand outside of the page. */
const CHART = `svg.chart{display:block;width:100%;height:auto;overflow:visible;font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
.tick,.axis{fill:var(--soft);font-size:11.5px}
.legend,.row{fill:var(--ink);font-size:12px}
.inside{fill:var(--on);font-size:11.5px}
.grid-line,svg .grid{stroke:var(--rule);stroke-width:1}
.zero{stroke:var(--soft);stroke-width:1;opacity:.6}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}
.whisker{stroke-width:1.4;opacity:.45}
.shift{stroke:var(--soft);stroke-width:1;opacity:.35}
.ring{fill:var(--paper);stroke-width:1.8}
.band{fill:var(--band)}
.diagonal{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 3}
.dot:hover{r:5px}`;

export const CHART_STYLE = `${PALETTE}\n${CHART}`;

export const STYLE = `
${PALETTE}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums lining-nums}
main{max-width:1120px;margin:0 auto;padding:48px 32px 80px}
h1{font-size:30px;line-height:1.2;letter-spacing:-.015em;font-weight:650;margin:0 0 6px}
h2{font-size:20px;letter-spacing:-.01em;font-weight:650;margin:64px 0 4px;padding-top:18px;border-top:1px solid var(--rule)}
h3{font-size:14px;font-weight:650;margin:0 0 8px}
p{margin:0 0 12px;max-width:76ch}
.lead{color:var(--soft);margin-bottom:22px}
.soft{color:var(--soft)}
nav{font-size:13px;margin:18px 0 0;color:var(--soft)}
nav a{color:inherit;text-decoration:none;border-bottom:1px solid var(--rule);margin-right:14px;white-space:nowrap}
nav a:hover{color:var(--ink);border-color:var(--ink)}
code,.mono{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(430px,1fr));gap:36px 40px;margin-top:20px}
.grid>*{min-width:0}
.wide{grid-column:1/-1}
.small{grid-template-columns:repeat(auto-fill,minmax(225px,1fr));gap:24px 28px}
figure{margin:0;break-inside:avoid}
figcaption{font-size:13px;color:var(--soft);margin-top:4px;max-width:76ch}
.scroll{overflow-x:auto}
.grid+.scroll{margin-top:26px}
table{border-collapse:collapse;font-size:13.5px;line-height:1.45}
caption{text-align:left;font-weight:650;padding-bottom:6px}
th,td{padding:5px 14px 5px 0;text-align:right;vertical-align:baseline;white-space:nowrap}
th{font-weight:500;color:var(--soft)}
thead th{border-bottom:1px solid var(--rule)}
tbody tr+tr>*{border-top:1px solid var(--rule)}
th:first-child,td:first-child{text-align:left}
td.text,th.text{text-align:left;white-space:normal}
tr.strong>*{font-weight:650;color:var(--ink)}
tr.changed>*{background:var(--mark)}
tr.changed>*:first-child{box-shadow:-8px 0 0 var(--mark)}
details{margin-top:8px;font-size:13px}
summary{cursor:pointer;color:var(--soft);width:max-content}
summary:hover{color:var(--ink)}
details[open]>summary{margin-bottom:8px}
.facts{display:flex;flex-wrap:wrap;gap:22px 44px;margin:26px 0 0}
.fact b{display:block;font-size:26px;line-height:1.25;font-weight:600;letter-spacing:-.015em}
.fact span{font-size:13px;color:var(--soft)}
.moves{display:grid;grid-template-columns:minmax(330px,1.25fr) 2fr;gap:36px 48px;margin-top:22px;align-items:start}
table.matrix{border-collapse:separate;border-spacing:3px}
table.matrix th,table.matrix td{border:0;padding:0;text-align:center}
table.matrix tbody th{text-align:right;padding-right:8px;vertical-align:middle}
table.matrix thead th{padding-bottom:2px}
table.matrix td{width:82px;height:58px;border-radius:4px;background:var(--wash);font-size:19px;font-weight:550;vertical-align:middle}
.several{display:grid;grid-template-columns:repeat(auto-fill,minmax(215px,1fr));gap:26px 28px}
.several table.matrix td{width:48px;height:32px;font-size:14px;font-weight:500}
.several table.matrix{font-size:12px}
.verdict{font-size:13px;color:var(--soft);margin:8px 0 0}
.tag{display:inline-block;font-size:11.5px;padding:0 7px;border:1px solid var(--rule);border-radius:9px;color:var(--soft);font-weight:500;margin-left:6px}
${CHART}
footer{margin-top:64px;padding-top:16px;border-top:1px solid var(--rule);font-size:12.5px;color:var(--soft)}
@media (max-width:760px){main{padding:28px 18px}.grid{grid-template-columns:1fr}.moves{grid-template-columns:1fr}}
@media print{body{font-size:10.5pt}main{max-width:none;padding:0}nav{display:none}h2{margin-top:28px;break-after:avoid}.grid{grid-template-columns:1fr 1fr;gap:20px 24px}tr{break-inside:avoid}details:not([open]){display:none}}
`;
