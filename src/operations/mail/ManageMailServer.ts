/** Shows, changes and tests the deployment's mail server. Everybody may know whether mail is sent; the rest is for the operator. */
import { Duration, Effect, Either, Redacted } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict, Forbidden } from "../../../schema/Errors.ts"
import type { MailServerInput, MailServerSettings, MailServerState, MailTestInput } from "../../../schema/mail/MailServer.ts"
import { settleMailServer, shownSettings, shownUrl } from "../../domain/mail/SettleMailServer.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { programCommand } from "../../domain/workspace/ProgramCommand.ts"
import { sendTestMail } from "../../notify/mail/TestMail.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { MailSetup, type MailSource } from "../../store/mail/MailSetup.ts"
import { Sessions } from "../../store/people/Sessions.ts"

const onlyOperator = new Forbidden({
  message: "Only the operator of this server sets its mail server, in the dashboard; API keys cannot",
  hint: `On the server, run: ${programCommand("sign-in-link you@example.com --operator")}. Then open the link and /app/providers`
})

const setByEnvironment = new Conflict({
  message: "SMTP_URL in the server's environment sets the mail server",
  hint: "Change SMTP_URL and restart, or remove it to set the mail server here"
})

const nothingToTest = validationFailure([{
  path: "host",
  message: "No mail server is set. Send host, port and tls to test one"
}])

/** Each test makes the server call a host of the caller's choice. */
const tests: RateLimit = { name: "mail-tests", limit: 60, window: Duration.hours(1) }

const shown = (source: MailSource) =>
  source._tag === "Url" ? shownUrl(Redacted.value(source.url), source.from) : shownSettings(source.settings)

const settingsIn = (source: MailSource | null): MailServerSettings | null => source?._tag === "Settings" ? source.settings : null

export class ManageMailServer extends Effect.Service<ManageMailServer>()("belltower/ManageMailServer", {
  effect: Effect.gen(function*() {
    const setup = yield* MailSetup
    const sessions = yield* Sessions
    const limits = yield* RateLimits

    const isOperator = ({ principal }: Caller) =>
      principal._tag === "User" ? sessions.isOfOperator(principal.sessionId) : Effect.succeed(false)

    const requireOperator = Effect.fn("ManageMailServer.requireOperator")(function*(caller: Caller) {
      if (!(yield* isOperator(caller))) return yield* onlyOperator
    })

    const get = Effect.fn("ManageMailServer.get")(function*(caller: Caller) {
      const source = yield* setup.source
      const operator = yield* isOperator(caller)
      return {
        mode: source === null ? "captured" : "sent",
        source: source === null ? "none" : setup.isOfEnvironment ? "environment" : "settings",
        operator,
        server: source === null || !operator ? null : shown(source),
        sender: operator ? setup.from : null,
        problem: operator ? yield* setup.problem : null
      } satisfies MailServerState
    })

    const settle = Effect.fn("ManageMailServer.settle")(function*(input: Omit<MailServerInput, "testTo">) {
      const settled = settleMailServer(input, settingsIn(yield* setup.source), setup.from)
      return Either.isRight(settled) ? settled.right : yield* validationFailure([settled.left])
    })

    const sendTest = Effect.fn("ManageMailServer.sendTest")(
      function*(source: MailSource, to: MailTestInput["testTo"]) {
        yield* limits.take(tests, "operator")
        return yield* sendTestMail(source, to)
      }
    )

    /** Fails with `validation_failed` if `testTo` is given and the server does not accept the mail. */
    const set = Effect.fn("ManageMailServer.set")(function*(caller: Caller, { testTo, ...input }: MailServerInput) {
      yield* requireOperator(caller)
      if (setup.isOfEnvironment) return yield* setByEnvironment
      const settings = yield* settle(input)
      if (testTo !== undefined && testTo !== null) {
        const { accepted, error, reply } = yield* sendTest({ _tag: "Settings", settings }, testTo)
        const answer = reply === null ? "" : ` It answered: ${reply}`
        if (!accepted) {
          return yield* validationFailure([{
            path: "testTo",
            message: `Nothing was saved, because the test failed. ${error}${answer}`
          }])
        }
      }
      yield* setup.save(settings)
      return yield* get(caller)
    })

    const remove = Effect.fn("ManageMailServer.remove")(function*(caller: Caller) {
      yield* requireOperator(caller)
      if (setup.isOfEnvironment) return yield* setByEnvironment
      yield* setup.save(null)
      return yield* get(caller)
    })

    /** The settings of the input, or those in use. */
    const tested = Effect.fn("ManageMailServer.tested")(function*({ host, port, testTo: _, tls, ...rest }: MailTestInput) {
      if (host === undefined) {
        const source = yield* setup.source
        return source ?? (yield* nothingToTest)
      }
      if (port === undefined || tls === undefined) {
        const path = port === undefined ? "port" : "tls"
        return yield* validationFailure([{ path, message: `${path} is required with host` }])
      }
      return { _tag: "Settings", settings: yield* settle({ host, port, tls, ...rest }) } satisfies MailSource
    })

    /** Sends a test mail; what the mail server says is the answer, also when it refuses. */
    const test = Effect.fn("ManageMailServer.test")(function*(caller: Caller, input: MailTestInput) {
      yield* requireOperator(caller)
      return yield* sendTest(yield* tested(input), input.testTo)
    })

    return { get, set, remove, test }
  })
}) {}
