/** Copies a monitor that no probe looks at; the ids of the copies. */
export declare const copyMonitor: (
  query: (text: string, values?: ReadonlyArray<unknown>) => Promise<unknown>,
  id: string,
  count: number
) => Promise<Array<string>>
