/** The refusal of an address that a document names and no member has. */
import type { Refusal } from "../../domain/Refusal.ts"

export const noMember = (path: string, address: string): Refusal => ({
  path,
  message: `No member with the address ${address} in this workspace`,
  hint: "Invite the person first"
})
