/** The limits of calls of public operations by client address, which the server checks before it reads a body. */
import { Context, Duration } from "effect"

export interface AddressRate {
  /** The name of the limited action. */
  readonly name: string
  /** The number of calls allowed in a window. */
  readonly limit: number
  /** The length of a window. Windows begin at multiples of it since 1970, so an hour is a clock hour. */
  readonly window: Duration.DurationInput
  /** The message to a refused caller; by default the limit and the window. */
  readonly message?: string
  /** The way out for a refused caller, other than waiting. */
  readonly instead?: string
}

export const bootstraps: AddressRate = {
  name: "bootstrap",
  limit: 5,
  window: Duration.hours(1),
  message: "At most 5 new workspaces an hour from one address; use the key you have"
}

export const signInRequests: AddressRate = { name: "sign-in-ip", limit: 20, window: Duration.minutes(15) }

export const restorations: AddressRate = { name: "restore", limit: 20, window: Duration.hours(1) }

export const subscriptions: AddressRate = {
  name: "subscribe",
  limit: 20,
  window: Duration.hours(1),
  message: "At most 20 subscriptions an hour from one address"
}

/** Registrations of apps over OAuth, which anybody can make. */
export const oauthRegistrations: AddressRate = { name: "oauth-registrations", limit: 30, window: Duration.hours(1) }

/** People whom apps send here. */
export const oauthRequests: AddressRate = { name: "oauth-requests", limit: 60, window: Duration.minutes(10) }

/** Requests of apps for tokens that were refused: an app may serve many people from one address. */
export const oauthRefusals: AddressRate = { name: "oauth-refusals", limit: 300, window: Duration.minutes(10) }

/** Enrolments of probes that were refused. */
export const probeEnrolments: AddressRate = { name: "probe-enrolment", limit: 20, window: Duration.minutes(15) }

/** Annotates an operation with the limit of its callers' addresses. The operation itself counts its calls. */
export class AddressLimit extends Context.Reference<AddressLimit>()("belltower/AddressLimit", {
  defaultValue: (): AddressRate | null => null
}) {}
