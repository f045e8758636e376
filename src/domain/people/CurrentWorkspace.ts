/** Selects a person's current workspace, which requests use that name none. */
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MyWorkspace } from "../../../schema/people/Person.ts"

/** `chosen` is the workspace that the session last switched to; without it, or after leaving it, the current one is the first. */
export const withCurrent = (joined: ReadonlyArray<Omit<MyWorkspace, "current">>, chosen: WorkspaceId | null) => {
  const current = joined.some(({ id }) => id === chosen) ? chosen : joined[0]?.id
  return joined.map((workspace) => ({ ...workspace, current: workspace.id === current }))
}
