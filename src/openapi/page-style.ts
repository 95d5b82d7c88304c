// The style of the API's page: one column that can be read, dark or light as the reader's system is.

export const PAGE_STYLE = `
:root{color-scheme:light dark;--text:#1c2430;--soft:#5a6678;--line:#dde3ea;--back:#fff;--box:#f5f7fa;--link:#0b62c4;
--get:#0b62c4;--post:#1a7f37;--ok:#1a7f37;--bad:#b35900;--fault:#c62828}
@media (prefers-color-scheme:dark){:root{--text:#e3e8ef;--soft:#97a3b4;--line:#2c3542;--back:#12161c;--box:#1a2029;
--link:#78b4ff;--get:#78b4ff;--post:#6fcf85;--ok:#6fcf85;--bad:#f0b060;--fault:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.55 system-ui,sans-serif}
.all{max-width:68rem;margin:0 auto;padding:0 1.25rem 4rem;display:grid;grid-template-columns:15rem minmax(0,1fr);gap:2.5rem}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:2rem 0;font-size:.875rem}
nav h2{font-size:.75rem;text-transform:uppercase;letter-spacing:.05em;color:var(--soft);margin:1.25rem 0 .25rem;padding:0;border:0}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:block;padding:.15rem 0;color:var(--text);text-decoration:none;overflow-wrap:anywhere}
nav a:hover{color:var(--link)}
main{padding-top:2rem;min-width:0}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.35rem;margin:3rem 0 .5rem;padding-bottom:.35rem;border-bottom:1px solid var(--line)}
h3{font-size:1.1rem;margin:2.25rem 0 .25rem;scroll-margin-top:1rem}
h4{font-size:.8125rem;text-transform:uppercase;letter-spacing:.05em;color:var(--soft);margin:1.25rem 0 .25rem}
a{color:var(--link)}
p{margin:.5rem 0}
.soft{color:var(--soft)}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--box);border-radius:4px;padding:.1em .3em;overflow-wrap:anywhere}
pre{background:var(--box);border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem;overflow:auto;margin:.5rem 0}
pre code{background:none;padding:0}
.way{display:flex;gap:.6rem;align-items:baseline;flex-wrap:wrap}
.way code{font-size:1rem;background:none;padding:0}
.method{font:600 .75rem/1 ui-monospace,monospace;color:var(--get);border:1px solid currentColor;border-radius:4px;padding:.25em .45em}
.method.post{color:var(--post)}
dl{margin:.25rem 0;display:grid;grid-template-columns:minmax(7rem,11rem) minmax(0,1fr);gap:.35rem 1rem}
dt{font-weight:600;overflow-wrap:anywhere}
dt .soft{display:block;font-weight:400;font-size:.8125rem}
dd{margin:0}
dd>p:first-child,dd>ul:first-child{margin-top:0}
dd ul{margin:.25rem 0;padding-left:1.1rem}
.s2,.s3{color:var(--ok)}.s4{color:var(--bad)}.s5{color:var(--fault)}
@media (max-width:52rem){.all{display:block}nav{position:static;max-height:none;padding:.5rem 0 1rem;border-bottom:1px solid var(--line)}
nav .bodies{display:none}
dl{grid-template-columns:minmax(0,1fr);gap:.1rem}dd{margin-bottom:.6rem}}
`;
