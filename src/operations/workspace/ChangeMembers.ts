/** Runs a membership change while holding the workspace row lock, so concurrent changes cannot remove the last owner. */
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Members } from "../../store/workspace/Members.ts"

/** `change` gets the number of owners. */
export const makeChangeMembers = Effect.zipWith(
  makeTransaction,
  Members,
  (transaction, members) => <A, E, R>(workspaceId: WorkspaceId, change: (owners: number) => Effect.Effect<A, E, R>) =>
    transaction(Effect.flatMap(members.lock(workspaceId), change))
)
