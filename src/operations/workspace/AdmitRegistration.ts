/** Admits those who make a workspace or an account, as the operator has decided. */
import { Context, Effect, Option } from "effect"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import {
  accountRefusal,
  type Admission,
  defaultBootstrapsAnHour,
  invitationEnded,
  type Standing,
  workspaceRefusal
} from "../../domain/access/Registration.ts"
import { OperatorInvitations } from "../../store/workspace/OperatorInvitations.ts"
import { WorkspaceEntry } from "../../store/workspace/WorkspaceEntry.ts"

interface RegistrationRules {
  readonly admission: Admission
  /** New workspaces of strangers in an hour, all together. */
  readonly bootstrapsAnHour: number
}

/** The operator's rules; by default everybody registers. */
export class RegistrationSettings extends Context.Reference<RegistrationSettings>()("belltower/RegistrationSettings", {
  defaultValue: (): RegistrationRules => ({ admission: "open", bootstrapsAnHour: defaultBootstrapsAnHour })
}) {}

/** The pages of those who were invited, to which they return after the sign-in. */
const entrance = /^\/(claim|invite|register)\/([0-9A-Za-z]+)$/

export class AdmitRegistration extends Effect.Service<AdmitRegistration>()("belltower/AdmitRegistration", {
  effect: Effect.gen(function*() {
    const { admission } = yield* RegistrationSettings
    const invitations = yield* OperatorInvitations
    const entry = yield* WorkspaceEntry

    /** Whether a page after the sign-in was given by somebody who is here already, for a person with this address. */
    const isEntrance = Effect.fn("AdmitRegistration.isEntrance")(function*(next: string | null, email: EmailAddress) {
      const [, kind, token = ""] = entrance.exec(next ?? "") ?? []
      switch (kind) {
        case "claim":
          return Option.exists(yield* entry.claimAt(token), ({ claimed }) => !claimed)
        case "invite":
          return Option.exists(yield* entry.invitationAt(token), (invitation) => invitation.email === email)
        case "register":
          return admission !== "closed" && (yield* invitations.isValid(token))
        default:
          return false
      }
    })

    return {
      /** Fails with `forbidden`. Returns whether the invitation is valid; one that is given must be, also where none is needed. */
      workspace: Effect.fn("AdmitRegistration.workspace")(
        function*(standing: Omit<Standing, "isInvited">, invitation: string | undefined) {
          const isInvited = invitation !== undefined && admission !== "closed" && (yield* invitations.isValid(invitation))
          if (invitation !== undefined && admission !== "closed" && !isInvited) return yield* invitationEnded
          const refusal = workspaceRefusal(admission, { ...standing, isInvited })
          return refusal === null ? isInvited : yield* refusal
        }
      ),
      /** Uses an invitation in the caller's transaction. Fails with `forbidden` if another call was faster. */
      use: Effect.fn("AdmitRegistration.use")(function*(invitation: string | undefined) {
        if (invitation !== undefined && !(yield* invitations.use(invitation))) return yield* invitationEnded
      }),
      /** Fails with `forbidden` where an account for this address may not be made. `next` is the page after the sign-in. */
      account: Effect.fn("AdmitRegistration.account")(function*(email: EmailAddress, next: string | null) {
        const refusal = accountRefusal(admission)
        if (refusal !== null && !(yield* isEntrance(next, email))) return yield* refusal
      }),
      /** Fails with `forbidden` for a code that makes no workspace here. */
      look: Effect.fn("AdmitRegistration.look")(function*(invitation: string) {
        if (admission === "closed" || !(yield* invitations.isValid(invitation))) return yield* invitationEnded
      })
    }
  })
}) {}
