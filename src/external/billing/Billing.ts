/** The payment provider as the rest of the program knows it; nothing of it where no billing is configured. */
import { Context, type Effect, type Option } from "effect"
import type { PaidPlan } from "../../../schema/billing/Billing.ts"
import type { BadRequest, Unavailable } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { KnownSubscription } from "../../domain/billing/SubscriptionChoice.ts"

/** A subscription as the provider has it now. */
export interface ProviderSubscription extends KnownSubscription {
  readonly customerId: string
  /** The workspace that it was bought for; null for one that did not begin here. */
  readonly workspaceId: WorkspaceId | null
}

/** What the provider says has happened. */
export interface Notice {
  readonly id: string
  /** The subscription that it is about; null where it is about something else. */
  readonly subscriptionId: string | null
}

export interface Order {
  readonly workspaceId: WorkspaceId
  readonly plan: PaidPlan
  /** The customer of an earlier subscription. */
  readonly customerId: string | null
  /** Filled in for the buyer. */
  readonly email: string | null
  /** Where the buyer comes back to, bought or not. */
  readonly returnTo: string
}

export interface PaymentProvider {
  /** A page on which a human buys a plan. */
  readonly checkout: (order: Order) => Effect.Effect<string, Unavailable>
  /** A page on which a customer changes or cancels what they have; it works for some minutes. */
  readonly portal: (customerId: string, returnTo: string) => Effect.Effect<string, Unavailable>
  /** A subscription as it is now; none when the provider knows none by that id. */
  readonly subscription: (id: string) => Effect.Effect<Option.Option<ProviderSubscription>, Unavailable>
  /** Ends a subscription at once; one that has ended already stays so. */
  readonly end: (id: string) => Effect.Effect<void, Unavailable>
  /** Reads a notice from the very text that was signed. Fails for one that is not the provider's, or older than 5 minutes. */
  readonly notice: (body: string, signature: string) => Effect.Effect<Notice, BadRequest>
}

/** null where billing is not configured: then nothing can be bought, and nothing is limited. */
export class Billing extends Context.Reference<Billing>()("belltower/Billing", {
  defaultValue: (): PaymentProvider | null => null
}) {}
