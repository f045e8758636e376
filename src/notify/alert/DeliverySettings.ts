/** The limits of this deployment's delivery workers. */
import { Context } from "effect"
import { defaultDeliveryLimits, type DeliveryLimits } from "../../domain/alert/DeliveryLimits.ts"

export class DeliverySettings extends Context.Reference<DeliverySettings>()("belltower/DeliverySettings", {
  defaultValue: (): DeliveryLimits => defaultDeliveryLimits
}) {}
