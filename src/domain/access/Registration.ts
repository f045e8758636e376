/** The people who may make a workspace or an account: everybody, those whom the operator invited, or nobody. */
import { Option } from "effect"
import { Forbidden } from "../../../schema/Errors.ts"
import { programCommand } from "../workspace/ProgramCommand.ts"

export const registrations = ["open", "invite", "closed"] as const
type Registration = (typeof registrations)[number]

/** `guarded`: the operator has not decided, but opened private addresses to every workspace, and with it to those of strangers. */
export type Admission = Registration | "guarded"

/** `given` is the operator's setting; `opensPrivate` whether the checks of every workspace reach private addresses. */
export const admissionOf = (given: Option.Option<Registration>, opensPrivate: boolean): Admission =>
  Option.getOrElse(given, () => opensPrivate ? "guarded" as const : "open" as const)

/** New workspaces of strangers in an hour, all together. */
export const defaultBootstrapsAnHour = 1_000

/** The client of a call that makes a workspace. */
export interface Applicant {
  /** The address, or for IPv6 the /64 network, by which it is counted. */
  readonly address: string
  /** Whether a program on this machine called without a proxy between. */
  readonly isLocal: boolean
  /** Whether a browser called in the name of a page of another site. */
  readonly isForeign: boolean
}

const setting = {
  guarded:
    "BELLTOWER_REGISTRATION decides. It is not set, and BELLTOWER_ALLOW_TARGETS opens private addresses to every workspace",
  invite: "BELLTOWER_REGISTRATION=invite decides this",
  closed: "BELLTOWER_REGISTRATION=closed decides this"
} as const

const opening = "Where strangers may reach what it opens, the operator sets BELLTOWER_REGISTRATION=open"

const foreignPage = new Forbidden({
  message: "Pages of other sites make no workspaces here",
  hint: `Call from a program. ${setting.guarded}. ${opening}`
})

const invitationNeeded = (admission: "guarded" | "invite") =>
  new Forbidden({
    message: "A new workspace needs an invitation of this installation's operator",
    hint: `Send it in the field invitation, or open its link. The operator makes one with: ${programCommand("invite")}. ${
      setting[admission]
    }${admission === "guarded" ? `. ${opening}` : ""}`
  })

const closed = new Forbidden({
  message: "This installation takes no new workspaces",
  hint: `${setting.closed}. The operator signs in with a link of: ${programCommand("sign-in-link <email> --operator")}`
})

/** The refusal of an invitation that is unknown, used up or expired. */
export const invitationEnded = new Forbidden({
  message: "This invitation is unknown, used up or has expired",
  hint: `The operator makes another with: ${programCommand("invite")}`
})

export interface Standing extends Pick<Applicant, "isForeign"> {
  /** Whether they reach the private addresses already: a program on this machine, or a person with a workspace that does. */
  readonly isInside: boolean
  /** Whether they have a valid invitation of the operator. */
  readonly isInvited: boolean
}

/** The refusal of a new workspace; null if there is none. */
export const workspaceRefusal = (admission: Admission, { isForeign, isInside, isInvited }: Standing): Forbidden | null => {
  switch (admission) {
    case "open":
      return null
    case "guarded":
      return isForeign ? foreignPage : isInside || isInvited ? null : invitationNeeded(admission)
    case "invite":
      return isInvited ? null : invitationNeeded(admission)
    case "closed":
      return closed
  }
}

/** Whether a visitor may name a private target, such as a webhook of a subscription, where all workspaces reach private addresses. */
export const mayNamePrivate = (admission: Admission, { isForeign, isLocal }: Pick<Applicant, "isForeign" | "isLocal">): boolean =>
  admission === "open" || (isLocal && !isForeign)

/** The refusal of an account for an address that has none; null where accounts are open. Without a workspace, one reaches nothing. */
export const accountRefusal = (admission: Admission): Forbidden | null =>
  admission === "open" || admission === "guarded" ? null : new Forbidden({
    message: "This installation makes no accounts for strangers",
    hint: `Open the link by which you were invited, and sign in there. ${setting[admission]}`
  })
