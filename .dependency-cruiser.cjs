/**
 * Import rules: dependencies point one way. Type-only imports count like any other, unless a rule says otherwise.
 *   contracts <- rl <- training;  model, tasks, sandbox, agent <- training;  lineage is injected behind a port.
 */
const from = (path, pathNot) => (pathNot === undefined ? { path } : { path, pathNot });

/** `folder` may import itself, the given places and npm packages, and nothing else of ours. */
const only = (folder, allowed, comment) => ({
  name: `${folder}-imports`,
  comment,
  severity: 'error',
  from: from(`^${folder}/`),
  to: {
    path: '^[a-z-]+/',
    dependencyTypesNot: ['core'],
    pathNot: [`^${folder}/`, '^node_modules/', ...allowed.map((place) => `^${place}`)],
  },
});

/** `folder` may take these npm packages and no other. */
const packages = (folder, names, comment) => ({
  name: `${folder}-packages`,
  comment,
  severity: 'error',
  from: from(`^${folder}/`),
  to: {
    dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'],
    pathNot: names.map((name) => `^node_modules/${name}/`),
  },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle, be it of types, means that two files are one concept.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'unresolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'nobody-imports-ends',
      comment:
        'cli, scripts, bench, ablate and test are ends: nothing is built on them (tests may look into all of them).',
      severity: 'error',
      from: { pathNot: '^(test|cli|scripts|bench|ablate)/' },
      to: { path: '^(cli|scripts|bench|ablate|test)/' },
    },
    {
      name: 'ends-keep-apart',
      comment: 'Of the ends, only test imports another one.',
      severity: 'error',
      from: { path: '^(cli|scripts|bench|ablate)/' },
      to: { path: '^(cli|scripts|bench|ablate|test)/', pathNot: '^$1/' },
    },
    only('contracts', [], 'contracts is the floor: it imports no other folder.'),
    {
      name: 'contracts-pure',
      comment: 'contracts must run inside the workflow sandbox: no node builtins.',
      severity: 'error',
      from: from('^contracts/'),
      to: { dependencyTypes: ['core'] },
    },
    packages(
      'contracts',
      ['valibot', '@noble/hashes', 'canonicalize', 'fastest-levenshtein'],
      'contracts takes only packages that the workflow bundle may hold.',
    ),
    only('rl', ['contracts/'], 'rl is mathematics on numbers; it knows contracts alone.'),
    {
      name: 'rl-pure',
      comment: 'rl does no input or output.',
      severity: 'error',
      from: from('^rl/'),
      to: { dependencyTypes: ['core'] },
    },
    packages('rl', ['pure-rand'], 'rl is pure: a random generator is all it takes.'),
    only(
      'model',
      ['contracts/', 'rl/random-stream', 'infra/native/linked'],
      'model knows contracts, the random stream, and whether the native addon is linked.',
    ),
    only('tasks', ['contracts/', 'rl/', 'sandbox/'], 'tasks know contracts, rl and the sandbox.'),
    only('sandbox', ['contracts/'], 'sandbox knows contracts alone.'),
    only(
      'agent',
      ['contracts/', 'tasks/', 'sandbox/', 'model/tokenizer'],
      'agent knows tasks, sandbox and, of the model, its tokenizer.',
    ),
    only('lineage', ['contracts/'], 'lineage knows contracts alone; it is handed to training as a RunStore.'),
    only(
      'training',
      ['contracts/', 'rl/', 'model/', 'tasks/', 'agent/'],
      'training gets storage and terminals behind ports: contracts/run-store.ts, contracts/sandbox.ts.',
    ),
    {
      name: 'workflows-values',
      comment: 'Workflow code runs in a sandbox of its own: contracts and the story of the recursion are all it holds.',
      severity: 'error',
      from: from('^workflows/'),
      to: {
        path: '^[a-z-]+/',
        dependencyTypesNot: ['core', 'type-only'],
        pathNot: ['^workflows/', '^node_modules/', '^contracts/', '^training/recursion'],
      },
    },
    {
      name: 'workflows-pure',
      comment: 'No node builtins in the workflow bundle.',
      severity: 'error',
      from: from('^workflows/'),
      to: { dependencyTypes: ['core'] },
    },
    only(
      'activities',
      ['contracts/', 'rl/', 'model/', 'tasks/', 'agent/', 'training/', 'lineage/', 'infra/'],
      'activities are thin: references in, training and lineage, references out.',
    ),
    only(
      'workers',
      ['contracts/', 'activities/', 'workflows/', 'lineage/', 'model/', 'infra/'],
      'workers put activities and workflows together.',
    ),
    {
      name: 'workers-load-workflows-by-path',
      comment: 'Workers bundle the workflows; of their values they may know the names of messages alone.',
      severity: 'error',
      from: from('^workers/'),
      to: {
        path: '^workflows/',
        dependencyTypesNot: ['type-only'],
        pathNot: ['^workflows/(messages|search-attributes)'],
      },
    },
    {
      name: 'nobody-imports-workers',
      comment: 'Only the command line starts workers.',
      severity: 'error',
      from: { pathNot: '^(workers|cli|test)/' },
      to: { path: '^workers/' },
    },
    only('infra', ['contracts/'], 'infra provisions; it knows nothing of learning.'),
    only(
      'viewer',
      ['contracts/', 'rl/', 'training/', 'lineage/'],
      'viewer shows results; it neither trains nor runs commands.',
    ),
    {
      name: 'temporal-free',
      comment: 'Temporal and Postgres stay out of the loop.',
      severity: 'error',
      from: from('^(contracts|rl|model|tasks|sandbox|agent|training)/'),
      to: { path: '^node_modules/(@temporalio|pg|kysely)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules/.*/node_modules|dist|\\.rsi)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
