/** The record of a workspace as a caller sees it: only some callers see its claim link. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { Workspace } from "../../../schema/workspace/Workspace.ts"
import { seesClaim } from "../../domain/workspace/UnclaimedWorkspace.ts"
import type { LinkMaker } from "../../links/Links.ts"
import type { Claims } from "../../store/workspace/Claims.ts"
import type { WorkspaceRow } from "../../store/workspace/Workspaces.ts"

export const showWorkspace = (claims: Claims, links: LinkMaker) =>
  Effect.fnUntraced(function*(caller: Caller, row: WorkspaceRow) {
    const token = row.claimed || !seesClaim(caller) ? Option.none() : yield* claims.tokenOf(row.id)
    return { ...row, claimUrl: Option.getOrNull(Option.map(token, links.claim)) } satisfies Workspace
  })
