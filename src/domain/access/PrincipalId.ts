/** The id of a caller: of a key, or of a person in all of their sessions. */
import type { Principal } from "../../../schema/access/Caller.ts"

export const principalId = (principal: Principal): string => principal._tag === "Key" ? principal.keyId : principal.userId
