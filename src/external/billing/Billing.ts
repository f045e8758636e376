/** The interface to the payment provider; absent if billing is not configured. */
import { Context, type Effect, type Option } from "effect"
import type { PaidPlan } from "../../../schema/billing/Billing.ts"
import type { BadRequest, Unavailable } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { KnownSubscription } from "../../domain/billing/SubscriptionChoice.ts"

export interface ProviderSubscription extends KnownSubscription {
  readonly customerId: string
  /** The workspace it was bought for; null if it was not created by this service. */
  readonly workspaceId: WorkspaceId | null
}

export interface Notice {
  readonly id: string
  /** The subscription concerned; null for other notices. */
  readonly subscriptionId: string | null
}

export interface Order {
  readonly workspaceId: WorkspaceId
  readonly plan: PaidPlan
  /** The customer of an earlier subscription, to reuse; null for a new one. */
  readonly customerId: string | null
  readonly email: string | null
  /** The URL that the buyer returns to after payment or cancellation. */
  readonly returnTo: string
}

export interface PaymentProvider {
  /** Creates a checkout page where a person buys a plan; returns its URL. */
  readonly checkout: (order: Order) => Effect.Effect<string, Unavailable>
  /** Creates a portal page where a customer changes or cancels a subscription; returns its URL, valid for a few minutes. */
  readonly portal: (customerId: string, returnTo: string) => Effect.Effect<string, Unavailable>
  /** Reads a subscription; none if the provider does not know the id. */
  readonly subscription: (id: string) => Effect.Effect<Option.Option<ProviderSubscription>, Unavailable>
  /** Cancels a subscription immediately; does nothing if it has already ended. */
  readonly end: (id: string) => Effect.Effect<void, Unavailable>
  /** Verifies and parses a notice from the exact signed text. Fails if the signature is invalid or over 5 minutes old. */
  readonly notice: (body: string, signature: string) => Effect.Effect<Notice, BadRequest>
}

/** Null if billing is not configured: then there are no purchases and no plan limits. */
export class Billing extends Context.Reference<Billing>()("belltower/Billing", {
  defaultValue: (): PaymentProvider | null => null
}) {}
