/** Forms of a tab that was opened before the person switched: they stay in the workspace of their view. */
import { Effect } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { Operation } from "../../http/openapi/Operations.ts"
import type { VisitData } from "./Visit.ts"

/** The workspace of the visit and that of the session; null if they are the same. */
export const elsewhereOf = ({ workspace, workspaces }: Pick<VisitData, "workspace" | "workspaces">) => {
  const current = workspaces.find((one) => one.current)
  return workspace === null || current === undefined || workspace.id === current.id ? null : { workspace, current }
}

/** Fails if the form names a workspace that the person has left: the session's is another one. What concerns the person has none. */
export const requireWorkspace = ({ query, workspace }: VisitData, { unlisted }: Operation) => {
  const named = query.get("workspace")
  return unlisted || named === null || named === workspace?.id
    ? Effect.void
    : new NotFound({ message: "You are no longer a member of the workspace of this form. Nothing was changed." })
}

/** The view after a form. The links of views do not name their workspace, so that of a form elsewhere does. */
export const nextView = (visit: VisitData, { unlisted }: Operation, path: string): string => {
  const elsewhere = unlisted ? null : elsewhereOf(visit)
  if (elsewhere === null) return path
  const next = new URL(path, "http://belltower.internal")
  next.searchParams.set("workspace", elsewhere.workspace.id)
  return `${next.pathname}${next.search}${next.hash}`
}
