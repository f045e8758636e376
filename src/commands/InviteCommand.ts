/** The command by which the operator invites somebody to create a workspace, or ends an invitation. */
import { Console, DateTime, Effect, Either, Layer, Option } from "effect"
import { usageOf } from "../domain/program/CommandHelp.ts"
import { counted } from "../domain/tools/text/Counted.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import { baseUrlOf } from "../settings/BaseUrlOf.ts"
import type { Settings } from "../settings/Settings.ts"
import { verify } from "../store/postgres/Migrations.ts"
import { OperatorInvitations } from "../store/workspace/OperatorInvitations.ts"
import { withServersDatabase } from "./OnDatabase.ts"

const usage = usageOf("invite")

/** An invitation, or the code of one that ends. */
type Wanted = { readonly uses: number; readonly days: number } | { readonly end: string }

const most = { uses: 1_000, days: 365 } as const

/** The left side is the usage. */
export const inviteOptions = (words: ReadonlyArray<string>): Either.Either<Wanted, string> => {
  const [first, code] = words
  if (first === "--end" && code !== undefined && words.length === 2) return Either.right({ end: code })
  const wanted = { uses: 1, days: 7 }
  for (let at = 0; at < words.length; at += 2) {
    const [option, text = ""] = [words[at], words[at + 1]]
    const name = option === "--uses" ? "uses" : option === "--days" ? "days" : null
    if (name === null || !/^[1-9]\d{0,3}$/.test(text) || Number(text) > most[name]) return Either.left(usage)
    wanted[name] = Number(text)
  }
  return Either.right(wanted)
}

/** Does it; returns the lines to print. */
export const runInvite = Effect.fn("InviteCommand.run")(
  function*(invitations: OperatorInvitations, wanted: Wanted, baseUrl: string) {
    if ("end" in wanted) {
      if (yield* invitations.end(wanted.end)) return ["The invitation has ended"]
      return yield* new BadSetting({ message: "There is no such invitation. Give the code after the last slash of its link." })
    }
    const { days, uses } = wanted
    const code = yield* invitations.create(uses, DateTime.add(yield* DateTime.now, { days }))
    return [
      `${baseUrl}/register/${code}`,
      `For ${counted(uses, "workspace")}, ${
        counted(days, "day")
      }. A person opens the link; an agent sends the code after its last slash ` +
      "as invitation to bootstrap_workspace."
    ]
  }
)

/** Invites to a workspace where BELLTOWER_REGISTRATION admits nobody else. Works whether the server is running or not. */
export const invite = Effect.fn("InviteCommand.invite")(function*(settings: Settings, rest: ReadonlyArray<string>) {
  const wanted = yield* Either.mapLeft(inviteOptions(rest), (message) => new BadSetting({ message }))
  if (Option.contains(settings.registration, "closed") && "uses" in wanted) {
    return yield* new BadSetting({ message: "BELLTOWER_REGISTRATION=closed admits nobody. Set it to invite first." })
  }
  const work = Effect.flatMap(OperatorInvitations, (invitations) => runInvite(invitations, wanted, baseUrlOf(settings)))
  const lines = yield* withServersDatabase(
    settings,
    (database) =>
      Effect.zipRight(verify, work).pipe(Effect.provide(OperatorInvitations.Default.pipe(Layer.provideMerge(database))))
  )
  yield* Effect.forEach(lines, (line) => Console.log(line), { discard: true })
})
