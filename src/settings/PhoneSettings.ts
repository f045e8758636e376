/** Settings of texts and calls. */
import { Config, Either, Option } from "effect"
import { parsePhonePrefixes, type PhonePrefixes } from "../domain/paging/PhoneNumbers.ts"
import { commaList } from "../domain/tools/text/CommaList.ts"
import { publicTwilio } from "../notify/way/phone/PublicTwilio.ts"
import type { PhoneSettings } from "../notify/way/Phones.ts"
import { allOrNone, requires, secret, serviceUrl, url, variable, whole } from "./SettingTypes.ts"

const number = /^\+[1-9]\d{6,14}$/

const accountSid = variable("BELLTOWER_TWILIO_ACCOUNT_SID", (text) =>
  /^[A-Za-z0-9_-]{1,64}$/.test(text)
    ? Either.right(text)
    : Either.left("must be the account's SID, which begins with AC"))

const from = variable(
  "BELLTOWER_TWILIO_FROM",
  (text) =>
    number.test(text) || /^(?:MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/.test(text)
      ? Either.right(text)
      : Either.left(`must be a number such as +4930123456, a messaging service (MG...) or a sender's name, not "${text}"`)
)

const caller = variable(
  "BELLTOWER_TWILIO_CALLER",
  (text) => number.test(text) ? Either.right(text) : Either.left(`must be a number such as +4930123456, not "${text}"`)
)

const twilioNames = ["BELLTOWER_TWILIO_ACCOUNT_SID", "BELLTOWER_TWILIO_AUTH_TOKEN", "BELLTOWER_TWILIO_FROM"] as const

const twilio = Config.all({
  account: allOrNone(
    twilioNames,
    `texts and calls by Twilio need ${twilioNames.join(", ")}`,
    Config.all({
      accountSid: Config.option(accountSid),
      authToken: Config.option(secret(twilioNames[1])),
      from: Config.option(from)
    })
  ),
  caller: Config.option(caller),
  url: serviceUrl("BELLTOWER_TWILIO_URL", publicTwilio)
}).pipe(Config.mapOrFail(({ account, caller, url }) =>
  Option.isNone(account) && Option.isSome(caller)
    ? requires(twilioNames[0], "BELLTOWER_TWILIO_CALLER is a number of its account")
    : Either.right(Option.map(account, (given) => ({ ...given, caller: Option.getOrNull(caller), url })))
))

const webhookSecret = secret(
  "BELLTOWER_PHONE_WEBHOOK_SECRET",
  variable("BELLTOWER_PHONE_WEBHOOK_SECRET", (text) =>
    /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)
      ? Either.right(text)
      : Either.left("must be whsec_ and 24 to 64 random bytes in base64, such as \"whsec_$(openssl rand -base64 24)\""))
)

const webhook = allOrNone(
  ["BELLTOWER_PHONE_WEBHOOK_URL", "BELLTOWER_PHONE_WEBHOOK_SECRET"],
  "every request is signed with the secret",
  Config.all({
    url: Config.option(url("BELLTOWER_PHONE_WEBHOOK_URL", ["http:", "https:"])),
    secret: Config.option(webhookSecret)
  })
)

const prefixes = variable(
  "BELLTOWER_PHONE_PREFIXES",
  (text) => Either.mapLeft(parsePhonePrefixes(commaList(text)), (why) => `is not valid: ${why}`)
).pipe(Config.withDefault<PhonePrefixes>([]))

/** Without a provider, nobody is paged by phone. */
export const phone: Config.Config<PhoneSettings> = Config.all({
  twilio,
  webhook,
  limits: Config.all({
    personAnHour: whole("BELLTOWER_PHONE_PERSON_AN_HOUR", 1, 1_000, 20),
    workspaceADay: whole("BELLTOWER_PHONE_WORKSPACE_A_DAY", 1, 100_000, 200),
    allADay: whole("BELLTOWER_PHONE_ALL_A_DAY", 1, 10_000_000, 2_000)
  }),
  prefixes
})
