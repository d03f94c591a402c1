/**
 * What runs are found by in the Web UI; workflows/search-attributes.ts sets them. SQL stores hold ten Keywords and three
 * of each other type in a namespace, which others may need too.
 */
export const SEARCH_ATTRIBUTES: Readonly<Record<string, 'Keyword' | 'Int' | 'Double'>> = {
  RsiPreset: 'Keyword',
  RsiStatus: 'Keyword',
  RsiStage: 'Keyword',
  RsiRun: 'Int',
  RsiGeneration: 'Int',
  RsiStrictRate: 'Double',
  RsiPartialRate: 'Double',
};
