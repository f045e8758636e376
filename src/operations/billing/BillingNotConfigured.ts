/** The failure of a deployment without a payment provider. The provider retries a notice that gets it. */
import { Unavailable } from "../../../schema/Errors.ts"

export const billingNotConfigured = new Unavailable({
  message: "Billing is not configured in this deployment",
  hint: "Without billing no plan limits apply. To enable billing, the operator sets STRIPE_SECRET_KEY"
})
