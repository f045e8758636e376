/** A server with the part of Twilio's API that the program uses; it signs its callbacks as Twilio does (Validating requests). */
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { answerDelay } from "./AnswerDelay.ts"
import { withBody } from "./WithBody.ts"

/** A text or a call that was asked for. */
export interface PhoneOrder {
  readonly sid: string
  readonly by: "sms" | "voice"
  readonly to: string
  /** The body of a text, the TwiML of a call. */
  readonly content: string
  readonly form: URLSearchParams
}

/** A callback, as Twilio sends it. */
export interface TwilioCallback {
  readonly url: string
  readonly form: string
  readonly signature: string
}

export interface TwilioRefusal {
  readonly status: number
  readonly code: number
  readonly message: string
}

export const twilioAccount = { sid: "AC0123456789abcdef0123456789abcdef", token: "token-of-the-local-twilio" }

/** Independent of the program's own: each name with each of its different values, in order. */
export const signedByTwilio = (
  url: string,
  fields: Readonly<Record<string, string>>,
  token = twilioAccount.token
): TwilioCallback => {
  const text = Object.keys(fields).sort().map((name) => `${name}${fields[name]}`).join("")
  return {
    url,
    form: new URLSearchParams(fields).toString(),
    signature: createHmac("sha1", token).update(`${url}${text}`).digest("base64")
  }
}

const expected = `Basic ${Buffer.from(`${twilioAccount.sid}:${twilioAccount.token}`).toString("base64")}`

const unescaped = (xml: string): string =>
  xml.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", "\"").replaceAll("&apos;", "'").replaceAll(
    "&amp;",
    "&"
  )

/** What is spoken in a document of TwiML. */
export const spokenIn = (twiml: string): ReadonlyArray<string> =>
  [...twiml.matchAll(/<Say>([^<]*)<\/Say>/g)].map(([, text = ""]) => unescaped(text))

/** Where a key leads. */
export const keysAt = (twiml: string): string => unescaped(/<Gather [^>]*action="([^"]*)"/.exec(twiml)?.[1] ?? "")

/** Takes orders until the scope closes. */
export const localTwilio = Effect.gen(function*() {
  const orders: Array<PhoneOrder> = []
  const refusals = new Map<string, TwilioRefusal>()
  const lost = new Set<string>()
  const unanswered: Array<ServerResponse> = []
  const state = { holds: false }
  const delay = answerDelay()

  /** Message resource, read multiple: newest first. */
  const texts = (query: URLSearchParams): object => {
    const found = orders.filter(({ by, to }) => by === "sms" && (query.get("To") ?? to) === to)
    const size = Number(query.get("PageSize") ?? "50")
    return {
      messages: found.reverse().slice(0, size).map(({ content, sid, to }) => ({
        sid,
        to,
        body: content,
        status: lost.has(sid) ? "undelivered" : "queued",
        direction: "outbound-api",
        date_sent: null
      })),
      page_size: size
    }
  }

  const answer = (path: string, authorization: string | undefined, form: URLSearchParams): readonly [number, object] => {
    if (authorization !== expected) return [401, { code: 20003, message: "Authenticate", status: 401 }]
    if (path === `/2010-04-01/Accounts/${twilioAccount.sid}.json`) return [200, { sid: twilioAccount.sid, status: "active" }]
    const { pathname, searchParams } = new URL(path, "http://twilio")
    if (form.size === 0 && pathname === `/2010-04-01/Accounts/${twilioAccount.sid}/Messages.json`) {
      return [200, texts(searchParams)]
    }
    const [, kind = ""] = new RegExp(`^/2010-04-01/Accounts/${twilioAccount.sid}/(Messages|Calls)\\.json$`).exec(path) ?? []
    const to = form.get("To") ?? ""
    const content = form.get(kind === "Calls" ? "Twiml" : "Body") ?? ""
    const sender = form.get("From") ?? (kind === "Messages" ? form.get("MessagingServiceSid") : null)
    if (kind === "" || to === "" || content === "" || sender === null) {
      return [404, { code: 20404, message: "Not found", status: 404 }]
    }
    const refusal = refusals.get(to)
    if (refusal !== undefined) return [refusal.status, refusal]
    const sid = `${kind === "Calls" ? "CA" : "SM"}${String(orders.length).padStart(32, "0")}`
    orders.push({ sid, by: kind === "Calls" ? "voice" : "sms", to, content, form })
    return [201, { sid, status: "queued", to }]
  }

  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) =>
        withBody(request, (body) => {
          const [status, content] = answer(request.url ?? "", request.headers.authorization, new URLSearchParams(body))
          if (state.holds) return void unanswered.push(response)
          delay.then(() => void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content)))
        })
      )
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was taken, in order. */
    orders,
    ordersTo: (number: string) => orders.filter(({ to }) => to === number),
    /** Refuses what goes to a number. */
    refuse: (number: string, refusal: TwilioRefusal): void => void refusals.set(number, refusal),
    wait: delay.wait,
    /** A text reaches nobody. */
    lose: ({ sid }: PhoneOrder): void => void lost.add(sid),
    /** Takes orders and leaves them without an answer. */
    hold: (holds: boolean): void => void (state.holds = holds),
    /** What Twilio says about an order. */
    news: ({ form, sid }: PhoneOrder, fields: Readonly<Record<string, string>>): TwilioCallback =>
      signedByTwilio(form.get("StatusCallback") ?? "", { AccountSid: twilioAccount.sid, MessageSid: sid, ...fields }),
    /** A key that the person presses in a call. */
    press: ({ content, sid }: PhoneOrder, digits: string): TwilioCallback =>
      signedByTwilio(keysAt(content), { AccountSid: twilioAccount.sid, CallSid: sid, Digits: digits })
  }
})
export type LocalTwilio = Effect.Effect.Success<typeof localTwilio>
