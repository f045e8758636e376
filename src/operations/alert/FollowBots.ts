/** Has Telegram report to this server what people press below the messages of a channel's bot, or stops it. */
import { Effect, Predicate } from "effect"
import type { ChannelSettings } from "../../../schema/alert/Channel.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { isPublicUrl } from "../../domain/access/PublicName.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { ChannelAddresses, publicAddresses } from "../../notify/alert/ChannelAddresses.ts"
import { ChatBots } from "../../notify/chat/ChatBots.ts"
import { followBot, leaveBot } from "../../notify/chat/TelegramApi.ts"

const refusal = (message: string) => validationFailure([{ path: "buttons", message }])

const unreachable = refusal("Telegram reports to public https addresses only. Set BELLTOWER_URL to one, or leave buttons off")

/** Telegram itself reaches only public https addresses; a server of one's own may reach others. */
const isReachable = (url: string, telegram: string): boolean =>
  telegram !== publicAddresses.telegram || (url.startsWith("https:") && isPublicUrl(url))

/**
 * After an input that names the bot or its buttons; `settings` are those of the channel from then on, and `hadButtons` says whether it
 * had any before. A bot that never reported here is left alone: it may report elsewhere. Fails with `validation_failed` if Telegram does
 * not take the address.
 */
export const followTelegramBot = Effect.fn("FollowBots.follow")(function*(
  workspaceId: WorkspaceId,
  given: ChannelSettings,
  settings: { readonly buttons?: unknown; readonly botToken?: unknown },
  hadButtons: boolean
) {
  const bots = yield* ChatBots
  const { telegram } = yield* ChannelAddresses
  const { botToken, buttons } = settings
  if (bots === null || !Predicate.isString(botToken)) return
  if (buttons !== true) {
    // Otherwise nobody else could ask the bot for its news.
    if (hadButtons) yield* leaveBot(botToken)
    return
  }
  if (given.buttons === undefined && given.botToken === undefined) return
  const url = bots.updatesAt(workspaceId)
  if (!isReachable(url, telegram)) return yield* unreachable
  const problem = yield* followBot(botToken, { url, secret: bots.updatesSecret(workspaceId) })
  if (problem !== null) return yield* refusal(problem)
})
