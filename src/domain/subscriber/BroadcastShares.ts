/** The shares of workspaces in a claim of deliveries to subscribers, however many broadcasts each has. */

/**
 * How many broadcasts of each workspace are visited, if a visit reads at least `least` subscribers and there are at most `most`
 * visits.
 */
export const visitsOfEach = (
  room: number,
  workspaces: number,
  { least, most }: { readonly least: number; readonly most: number }
): number => workspaces <= 1 ? most : Math.max(1, Math.min(most, Math.floor(room / workspaces / least)))

/** The part of the room for a broadcast of each workspace: workspaces get equal parts, and so do the broadcasts of one. */
export const sharesOf = (room: number, visited: ReadonlyArray<{ readonly workspaceId: string }>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { workspaceId } of visited) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
  return new Map([...counts].map(([id, count]) => [id, Math.max(1, Math.floor(room / counts.size / count))]))
}
