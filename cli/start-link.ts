/** The start form of the Web UI, filled in but for its input, which it takes from no link. `rsi up` prints one a preset. */
export function startLink(uiUrl: string, namespace: string, workflowId: string): string {
  const query = new URLSearchParams({ workflowId, taskQueue: 'control', workflowType: 'trainRun' });
  return `${uiUrl}/namespaces/${namespace}/workflows/start-workflow?${query.toString()}`;
}
