/** The bots of a workspace: the apps of its Slack and Discord channels and its Telegram bot, which also write to its people. */
import { Context, Effect, Layer, Option, Predicate } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Links } from "../../links/Links.ts"
import { Channels, type ChannelState } from "../../store/alert/Channels.ts"
import { LinkKeys } from "../../store/LinkKeys.ts"

/** An app of Slack, or an application of Discord. */
export interface AppBot {
  readonly botToken: string
  /** By which its presses of buttons are believed; null if it has none. */
  readonly appSecret: string | null
}

export interface TelegramBot {
  readonly botToken: string
  /** Whether it reports to this server. */
  readonly buttons: boolean
}

/** The types of channels whose apps may have a bot token. */
type AppType = "slack" | "discord"

const textOf = (value: unknown): string | null => (Predicate.isString(value) ? value : null)

const tokenOf = ({ secrets }: ChannelState): string | null => textOf(secrets.settings["botToken"])

const make = Effect.gen(function*() {
  const channels = yield* Channels
  const links = yield* Links
  const signer = yield* LinkKeys

  const app = (workspaceId: WorkspaceId, type: AppType): Effect.Effect<Option.Option<AppBot>> =>
    Effect.map(channels.statesOfType(workspaceId, type), (states) =>
      Option.fromNullable(
        states.flatMap((state): ReadonlyArray<AppBot> => {
          const botToken = tokenOf(state)
          return botToken === null ? [] : [{ botToken, appSecret: textOf(state.secrets.settings["appSecret"]) }]
        })[0]
      ))

  const telegram = (workspaceId: WorkspaceId) =>
    Effect.map(channels.statesOfType(workspaceId, "telegram"), (states) =>
      states.flatMap((state): ReadonlyArray<TelegramBot> => {
        const botToken = tokenOf(state)
        return botToken === null ? [] : [{ botToken, buttons: state.channel.buttons === true }]
      }))

  return {
    /** The app that writes to people: that of the oldest channel with a bot token. A disabled channel has it, too. */
    app,
    /** By what all its apps sign, also those that have no bot token: the secrets of Slack, the public keys of Discord. */
    appSecrets: (workspaceId: WorkspaceId, type: AppType): Effect.Effect<ReadonlyArray<string>> =>
      Effect.map(
        channels.statesOfType(workspaceId, type),
        (states) => states.flatMap(({ secrets }) => textOf(secrets.settings["appSecret"]) ?? [])
      ),
    /** The Telegram bot that writes to people: one that has buttons, else the oldest. */
    telegram: (workspaceId: WorkspaceId) =>
      Effect.map(telegram(workspaceId), (bots) => Option.fromNullable(bots.find(({ buttons }) => buttons) ?? bots[0])),
    /** The token of its Telegram bot with this number, or of one that has buttons. */
    telegramToken: (workspaceId: WorkspaceId, botId: string | null) =>
      Effect.map(telegram(workspaceId), (bots) => {
        const bot = bots.find(({ botToken }) => botToken.startsWith(`${botId}:`)) ?? bots.find(({ buttons }) => buttons)
        return Option.map(Option.fromNullable(bot), ({ botToken }) => botToken)
      }),
    /** Where the bot reports to; Telegram calls https addresses only. */
    updatesAt: (workspaceId: WorkspaceId) => links.telegramUpdates(workspaceId),
    /** The secret by which Telegram proves that it is Telegram, of the characters that it takes. */
    updatesSecret: (workspaceId: WorkspaceId): string => signer.sign(`telegram updates ${workspaceId}`),
    isUpdatesSecret: (workspaceId: WorkspaceId, given: string): boolean =>
      signer.isSigned(`telegram updates ${workspaceId}`, given)
  }
})
export type ChatBotService = Effect.Effect.Success<typeof make>

/** Null in programs that write to nobody in chats, such as tests of other ways. */
export class ChatBots extends Context.Reference<ChatBots>()("belltower/ChatBots", {
  defaultValue: (): ChatBotService | null => null
}) {
  static readonly layer = Layer.effect(ChatBots, make)
}

const noServer = Effect.succeed(Option.none())

export const appBotOf = (workspaceId: WorkspaceId, type: AppType): Effect.Effect<Option.Option<AppBot>> =>
  Effect.flatMap(ChatBots, (bots) => bots === null ? noServer : bots.app(workspaceId, type))

export const telegramBotOf = (workspaceId: WorkspaceId): Effect.Effect<Option.Option<TelegramBot>> =>
  Effect.flatMap(ChatBots, (bots) => bots === null ? noServer : bots.telegram(workspaceId))

export const noSlackBot =
  "The workspace has no Slack channel with a bot token. Add one, or give its Slack channel the token of an app"
export const noDiscordBot =
  "The workspace has no Discord channel with a bot token. Add one, or give its Discord channel the token of an application"
export const noTelegramBot = "The workspace has no Telegram channel, whose bot would write to people. Add one"
