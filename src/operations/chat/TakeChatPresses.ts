/** Takes what people press in chats, and those who start a bot to link their chat, as Slack, Discord and Telegram report them. */
import { Clock, Effect, Option } from "effect"
import { Forbidden, NotFound, Unauthorized } from "../../../schema/Errors.ts"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { discordPong, discordStanding, discordWhisper } from "../../domain/chat/DiscordButtons.ts"
import { discordInteraction, type DiscordPress, type DiscordSignature, isFromDiscord } from "../../domain/chat/DiscordRequests.ts"
import { slackStanding, slackWhisper } from "../../domain/chat/SlackButtons.ts"
import { isFromSlack, type SlackPress, slackPress, type SlackSignature } from "../../domain/chat/SlackRequests.ts"
import {
  telegramAnswer,
  type TelegramPress,
  telegramReply,
  telegramStanding,
  type TelegramStart,
  telegramUpdate
} from "../../domain/chat/TelegramUpdates.ts"
import type { Loose } from "../../domain/import/Loose.ts"
import { idBytes } from "../../domain/tools/Id.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { Links } from "../../links/Links.ts"
import { ChatBots } from "../../notify/chat/ChatBots.ts"
import { answerSlack } from "../../notify/chat/SlackApi.ts"
import { callTelegram } from "../../notify/chat/TelegramApi.ts"
import { AcknowledgeIncident } from "../incident/AcknowledgeIncident.ts"
import { PassOnIncident } from "../incident/PassOnIncident.ts"
import { UpdateIncident } from "../incident/UpdateIncident.ts"
import { type ChatAnswer, makeActInChat } from "./ActInChat.ts"
import { makeLinkChat } from "./LinkChat.ts"

const unknown = new NotFound({ message: "No such workspace" })
/** Discord saves an address only if it answers a wrong signature with 401. */
const unsignedByDiscord = new Unauthorized({
  message: "The signature is not valid",
  hint: "Give the channel the public key of the application"
})
const unsigned = new Forbidden({ message: "The signature is not valid", hint: "Give the channel the secret of the app" })

/** Milliseconds to change a message after a press. */
const answerMs = 10_000

/** The id of a workspace in a path. It says nothing about which exist. */
const workspaceOf = (given: string) => idBytes(given) === null ? Effect.fail(unknown) : Effect.succeed(WorkspaceId.make(given))

export class TakeChatPresses extends Effect.Service<TakeChatPresses>()("belltower/TakeChatPresses", {
  scoped: Effect.gen(function*() {
    const bots = yield* ChatBots
    const act = yield* makeActInChat
    const link = yield* makeLinkChat
    const { acknowledgeByButton, look } = yield* AcknowledgeIncident
    const links = yield* Links
    const guard = yield* EgressGuard
    const services = yield* Effect.context<never>()
    const scope = yield* Effect.scope

    /** Changes a message after the answer to the service, which waits for 3 seconds only. What fails shows at the next press. */
    const later = <A>(workspaceId: WorkspaceId, work: Effect.Effect<A, never, EgressGuard>) =>
      work.pipe(
        Effect.provideService(EgressGuard, guardFor(guard, { owner: workspaceId })),
        Effect.provide(services),
        Effect.catchAllCause((cause) => Effect.logWarning("A message in a chat was not changed after a press", cause)),
        Effect.forkIn(scope),
        Effect.asVoid
      )

    const answerInSlack = (workspaceId: WorkspaceId, { answerAt, message }: SlackPress, { incident, text }: ChatAnswer) =>
      answerAt === null
        ? Effect.void
        : later(
          workspaceId,
          answerSlack(answerAt, incident === null ? slackWhisper(text) : slackStanding(message, incident, text), answerMs)
        )

    const pressInTelegram = Effect.fnUntraced(function*(workspaceId: WorkspaceId, press: TelegramPress) {
      const { action, botId, from, incidentId } = press
      const answer = yield* act({ workspaceId, chat: "telegram", address: { chatId: from }, action, incidentId })
      const token = bots === null ? Option.none() : yield* bots.telegramToken(workspaceId, botId)
      if (answer.incident !== null && Option.isSome(token)) {
        const edit = JSON.stringify(telegramStanding(press, answer.incident, answer.text))
        yield* later(workspaceId, callTelegram(token.value, "editMessageText", edit, answerMs))
      }
      return telegramAnswer(press, answer.text, !answer.done)
    })

    /** Everybody who sees a message may acknowledge, as by its link. The other actions are those of members. */
    const pressInDiscord = Effect.fnUntraced(function*(workspaceId: WorkspaceId, press: DiscordPress) {
      const { action, by, member, token } = press
      const found = yield* Effect.option(look(token))
      return yield* act({
        workspaceId,
        chat: "discord",
        address: { member },
        action,
        // A link that is over leads to no incident.
        incidentId: Option.match(found, { onNone: () => "", onSome: ({ incident }) => incident.id }),
        ...(action === "acknowledge" ? { byStranger: acknowledgeByButton(workspaceId, token, storable(by)) } : {})
      })
    })

    const startInTelegram = (workspaceId: WorkspaceId, { chatId, payload }: TelegramStart) =>
      Effect.map(
        payload === "" ? Effect.succeed(`Link this chat in Belltower: ${links.contact}`) : link(workspaceId, chatId, payload),
        (text) => telegramReply(chatId, text)
      )

    return {
      /** The body is the exact signed text. Fails with `forbidden` for one that no app of the workspace signed, and with `not_found`. */
      slack: Effect.fn("TakeChatPresses.slack")(function*(given: string, signature: SlackSignature, body: string) {
        const workspaceId = yield* workspaceOf(given)
        const secrets = bots === null ? [] : yield* bots.appSecrets(workspaceId, "slack")
        if (!isFromSlack(secrets, signature, body, yield* Clock.currentTimeMillis)) return yield* unsigned
        const press = slackPress(body)
        if (Option.isNone(press)) return
        const { action, incidentId, member } = press.value
        yield* answerInSlack(
          workspaceId,
          press.value,
          yield* act({ workspaceId, chat: "slack", address: { member }, action, incidentId })
        )
      }),
      /** The answer to the interaction; null for none. Fails with `unauthorized` and `not_found`. */
      discord: Effect.fn("TakeChatPresses.discord")(function*(given: string, signature: DiscordSignature, body: string) {
        const workspaceId = yield* workspaceOf(given)
        const keys = bots === null ? [] : yield* bots.appSecrets(workspaceId, "discord")
        if (!isFromDiscord(keys, signature, body, yield* Clock.currentTimeMillis)) return yield* unsignedByDiscord
        const interaction = discordInteraction(body)
        if (Option.isNone(interaction)) return null
        if (interaction.value._tag === "Ping") return discordPong
        const { message } = interaction.value
        const { incident, text } = yield* pressInDiscord(workspaceId, interaction.value)
        return incident === null ? discordWhisper(text) : discordStanding(message, incident, text)
      }),
      /** The call that answers the update; null for none. Fails like `slack`. */
      telegram: Effect.fn("TakeChatPresses.telegram")(function*(given: string, secret: string, body: string) {
        const workspaceId = yield* workspaceOf(given)
        if (bots === null || !bots.isUpdatesSecret(workspaceId, secret)) return yield* unsigned
        const update = telegramUpdate(body)
        if (Option.isNone(update)) return null
        const answer: Loose = update.value._tag === "Press"
          ? yield* pressInTelegram(workspaceId, update.value)
          : yield* startInTelegram(workspaceId, update.value)
        return answer
      })
    }
  }),
  dependencies: [AcknowledgeIncident.Default, PassOnIncident.Default, UpdateIncident.Default]
}) {}
