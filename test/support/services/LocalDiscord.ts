/** A server with the part of Discord that the program uses: messages of an application, and presses as Discord signs them. */
import { Effect } from "effect"
import { generateKeyPairSync, sign } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Json } from "../program/TestServer.ts"
import { answerDelay } from "./AnswerDelay.ts"
import { withBody } from "./WithBody.ts"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")

export const discordApp = {
  token: "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.token-of-the-local-application",
  /** The last 32 bytes of the key's DER form, as the Developer Portal shows it. */
  publicKey: publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("hex")
}

/** A message as Discord keeps it. */
export interface DiscordPosted {
  readonly channel: string
  readonly content: Json
}

/** A request as Discord signs it (Interactions: Security and authorization), independent of the program's own. */
export const signedByDiscord = (interaction: object, at: number = Date.now(), key = privateKey) => {
  const body = JSON.stringify(interaction)
  const timestamp = String(Math.floor(at / 1000))
  return {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-signature-timestamp": timestamp,
      "x-signature-ed25519": sign(null, Buffer.from(timestamp + body), key).toString("hex")
    }
  }
}

/** The buttons of a message. */
export const discordButtons = ({ components = [] }: Json): ReadonlyArray<Json> =>
  components.flatMap((row: Json) => row.components)

/** The press of a button by somebody in a server. */
export const discordPress = (
  { content }: Pick<DiscordPosted, "content">,
  customId: string,
  username: string,
  id = "53908232506183680"
) => ({
  id: "846462639134605312",
  application_id: "198622483471925248",
  type: 3,
  token: "unique_interaction_token",
  guild_id: "290926798626357999",
  data: { component_type: 2, custom_id: customId },
  member: { user: { id, username, global_name: null } },
  message: { id: "1", ...content }
})

/** The channel of the bot and a person. */
export const dmOf = (member: string): string => `9${member.slice(1)}`

/** URLs that Discord refuses (Component reference: button): no place to go, or too long. */
const isRefused = (content: Json): boolean =>
  discordButtons(content).some(({ custom_id: id = "", label, style, type, url }) =>
    type !== 2 || label.length > 80 ||
    (style === 5 ? url === undefined || url.length > 512 || id !== "" : id === "" || id.length > 100)
  )

export const localDiscord = Effect.gen(function*() {
  const posted: Array<DiscordPosted> = []
  const delay = answerDelay()
  /** People whom the bot cannot write to, each with Discord's code. */
  const refused = new Map<string, number>()
  const nonces = new Set<string>()
  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) =>
        withBody(request, (body) => {
          const answer = (status: number, json: object) =>
            delay.then(() => void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json)))
          const [, channel] = /^\/channels\/(\d+)\/messages$/.exec(request.url ?? "") ?? []
          if (request.headers.authorization !== `Bot ${discordApp.token}`) {
            return answer(401, { message: "401: Unauthorized", code: 0 })
          }
          if (request.url === "/users/@me/channels") {
            const member = String(JSON.parse(body).recipient_id)
            // A channel of two has an id of its own.
            const code = refused.get(member)
            return code === undefined
              ? answer(200, { id: dmOf(member), type: 1 })
              : answer(code === 50033 ? 400 : 403, { message: "Refused", code })
          }
          if (channel === undefined) {
            return answer(404, { message: "Unknown Channel", code: 10003 })
          }
          const content: Json = JSON.parse(body)
          if ((content.nonce ?? "").length > 25 || isRefused(content)) {
            return answer(400, { message: "Invalid Form Body", code: 50035 })
          }
          // Message: "If another message was created by the same author with the same nonce, that message will be returned".
          if (content.enforce_nonce !== true || !nonces.has(content.nonce)) {
            posted.push({ channel, content })
          }
          if (content.nonce !== undefined) nonces.add(content.nonce)
          return answer(200, { id: String(posted.length), channel_id: channel })
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
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posted, refused, wait: delay.wait }
})
export type LocalDiscord = Effect.Effect.Success<typeof localDiscord>
