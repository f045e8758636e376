/** A person, and the admins of the workspace with their keys, may see and change how the person is paged. */
import { Array, Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden, type NotFound } from "../../../schema/Errors.ts"
import type { UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { mayAct } from "../../domain/access/Roles.ts"
import { OnCallPeople, type OnCallPersonRow } from "../../store/oncall/OnCallPeople.ts"
import { foundOr, noSuch } from "../NoSuch.ts"

const refusal = new Forbidden({
  message: "Only the person or an admin can see and change how somebody is paged",
  hint: "Ask the person, or use a key or an account with the role admin"
})

export const isSelf = ({ principal }: Caller, userId: UserId): boolean => principal._tag === "User" && principal.userId === userId

export const makePersons = Effect.map(OnCallPeople, (people) => {
  const find = (workspaceId: WorkspaceId, userId: UserId): Effect.Effect<OnCallPersonRow, NotFound> =>
    foundOr(Effect.map(people.some(workspaceId, [userId]), Array.head), () => noSuch("member", userId))
  return {
    /** The member of an id, for a caller who sees or changes how they are paged. Fails with `forbidden` and `not_found`. */
    reach: ({ role, workspaceId, ...caller }: Caller, userId: UserId) =>
      isSelf({ role, workspaceId, ...caller }, userId) || mayAct(role, "admin") ? find(workspaceId, userId) : Effect.fail(refusal)
  }
})
