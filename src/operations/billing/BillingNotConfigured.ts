/** The failure of a deployment without a payment provider. A provider repeats a notice that meets it. */
import { Unavailable } from "../../../schema/Errors.ts"

export const billingNotConfigured = new Unavailable({
  message: "Billing is not configured in this deployment",
  hint: "Nothing is limited here, or the operator has yet to set STRIPE_SECRET_KEY"
})
