/** Examines the provider of texts and calls: the account at Twilio, and whether it can report. Sends nothing. */
import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import { isPublicUrl } from "../domain/access/PublicName.ts"
import { failed, fine, type Seen, skipped, warning } from "../domain/health/Diagnosis.ts"
import { publicTwilio } from "../notify/way/phone/PublicTwilio.ts"
import type { TwilioSettings } from "../notify/way/phone/Twilio.ts"
import { type Diagnoses, examine, type Patient } from "./Examine.ts"

const advice = "Check BELLTOWER_TWILIO_ACCOUNT_SID, BELLTOWER_TWILIO_AUTH_TOKEN and BELLTOWER_TWILIO_URL."

const reports = (url: string, baseUrl: string): ReadonlyArray<Seen> =>
  url !== publicTwilio || isPublicUrl(baseUrl)
    ? []
    : [warning(
      `Twilio cannot reach ${baseUrl}, so nobody learns whether pages arrive, and no key acknowledges`,
      "Set BELLTOWER_URL to a public address."
    )]

const lookTwilio = ({ accountSid, authToken, url }: TwilioSettings, baseUrl: string) =>
  HttpClient.execute(
    HttpClientRequest.get(`${url}/2010-04-01/Accounts/${accountSid}.json`).pipe(
      HttpClientRequest.basicAuth(accountSid, authToken)
    )
  ).pipe(
    Effect.map(({ status }): ReadonlyArray<Seen> =>
      status >= 200 && status < 300
        ? [fine(`${new URL(url).host} takes the account and the token`), ...reports(url, baseUrl)]
        : [failed(`${new URL(url).host} does not take the account and the token: it answered ${status}`, advice)]
    ),
    Effect.provide(FetchHttpClient.layer)
  )

const lookWebhook = (
  url: string
): ReadonlyArray<Seen> => [fine(`Texts and calls can go to ${new URL(url).host}, which is not asked`)]

export const examinePhones = ({ baseUrl, role, settings: { phone } }: Patient): Diagnoses =>
  examine(
    "phones",
    advice,
    role === "probe"
      ? Effect.succeed([skipped("A probe pages nobody")])
      : Effect.map(
        Option.match(phone.twilio, {
          onNone: () => Effect.succeed<ReadonlyArray<Seen>>([]),
          onSome: (twilio) => lookTwilio(twilio, baseUrl)
        }),
        (seen) => {
          const found = [...seen, ...Option.match(phone.webhook, { onNone: () => [], onSome: ({ url }) => lookWebhook(url) })]
          return found.length > 0 ? found : [skipped("No provider is set: nobody is paged by text or call")]
        }
      )
  )
