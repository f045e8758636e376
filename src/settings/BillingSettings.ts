/** Settings of payments by Stripe. */
import { Config, Either, Option } from "effect"
import { commaList } from "../domain/tools/text/CommaList.ts"
import type { StripeSettings } from "../external/billing/StripeProvider.ts"
import { allOrNone, orDefault, secret, url, variable } from "./SettingTypes.ts"

/** The Stripe prices of one plan. New subscriptions get the first; the others are still recognized. */
const prices = (name: string) =>
  variable(name, (text) => {
    const [first, ...others] = commaList(text)
    return first === undefined ? Either.left("must be a Stripe price ID, such as price_1Pab") : Either.right([first, ...others])
  })

const stripeNames = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE_STARTER", "STRIPE_PRICE_BUSINESS"] as const

/** With only some of the settings, a payment would not change the plan. */
export const stripe: Config.Config<Option.Option<StripeSettings>> = Config.all({
  keys: allOrNone(
    stripeNames,
    `billing needs ${stripeNames.join(", ")}`,
    Config.all({
      secretKey: Config.option(secret(stripeNames[0])),
      webhookSecret: Config.option(secret(stripeNames[1])),
      starter: Config.option(prices(stripeNames[2])),
      business: Config.option(prices(stripeNames[3]))
    })
  ),
  apiUrl: orDefault("STRIPE_API_URL", url("STRIPE_API_URL", ["http:", "https:"]), "https://api.stripe.com")
}).pipe(Config.map(({ apiUrl, keys }) =>
  Option.map(keys, ({ business, secretKey, starter, webhookSecret }) => ({
    secretKey,
    webhookSecret,
    prices: { starter, business },
    apiUrl
  }))
))
