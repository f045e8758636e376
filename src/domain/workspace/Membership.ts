/** The rules for inviting, promoting and removing members; every workspace keeps at least one owner. */
import { Conflict, Forbidden } from "../../../schema/Errors.ts"
import type { Member } from "../../../schema/workspace/Member.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { mayAct } from "../access/Roles.ts"

/** The fields of a member or an invitation that these rules need. */
export type Standing = Pick<Member, "role" | "status">

type MembershipRefusal = Forbidden | Conflict

const onlyOwners = (what: string) =>
  new Forbidden({ message: `Only an owner can ${what}`, hint: "Ask a workspace owner; GET /api/v1/members lists them" })

const onlyAdmins = new Forbidden({
  message: "Only an admin can remove other members",
  hint: "Ask a workspace admin; you can remove only yourself"
})

const lastOwner = new Conflict({
  message: "This is the last owner of the workspace",
  hint: "Make another member an owner first, or delete the workspace"
})

const isLastOwner = ({ role, status }: Standing, owners: number) => role === "owner" && status === "active" && owners <= 1

/** Why a caller may not invite someone as `role`; null if they may. */
export const inviteRefusal = (caller: Role, role: Role): MembershipRefusal | null =>
  role === "owner" && caller !== "owner" ? onlyOwners("invite another owner") : null

/** Why a caller may not give `target` the role `to`; null if they may. `owners` is the workspace's number of active owners. */
export const roleRefusal = (caller: Role, target: Standing, to: Role, owners: number): MembershipRefusal | null => {
  if (caller !== "owner" && to === "owner") return onlyOwners("make another member an owner")
  if (caller !== "owner" && target.role === "owner") return onlyOwners("change an owner's role")
  return to !== "owner" && isLastOwner(target, owners) ? lastOwner : null
}

const cannotKeepKeys = new Forbidden({
  message: "Members who leave cannot keep their API keys in the workspace",
  hint: "Leave without keys=keep, or ask an admin to remove you with keys=keep"
})

/** Why a caller may not remove `target`, who may be the caller; null if they may. */
export const removalRefusal = (caller: Role, target: Standing, isSelf: boolean, owners: number, keepsKeys = false) => {
  if (isSelf && keepsKeys) return cannotKeepKeys
  if (!isSelf && !mayAct(caller, "admin")) return onlyAdmins
  if (!isSelf && target.role === "owner" && caller !== "owner") return onlyOwners("remove an owner")
  return isLastOwner(target, owners) ? lastOwner : null
}
