/** Decides who may end what a person granted to an app: that person, the app itself, and admins. */
import type { Caller } from "../../../schema/access/Caller.ts"
import type { ApiKeyId, UserId } from "../../../schema/Ids.ts"
import { mayAct } from "../access/Roles.ts"

export const mayEndGrant = (
  { operations, principal, role }: Pick<Caller, "operations" | "principal" | "role">,
  grant: { readonly id: ApiKeyId; readonly createdBy: UserId }
): boolean =>
  principal._tag === "User"
    ? principal.userId === grant.createdBy || mayAct(role, "admin")
    // A key that was delegated, or granted itself, has a list of operations, and ends nothing of others.
    : principal.keyId === grant.id || (operations === null && mayAct(role, "admin"))
