/** The pages of third parties below /status, and those behind the links of their mails. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { subscriptionWords } from "../../domain/page/Languages.ts"
import { clientAddress } from "../../http/request/ClientAddress.ts"
import { FollowUpstream } from "../../operations/upstream/FollowUpstream.ts"
import { ReadUpstream } from "../../operations/upstream/ReadUpstream.ts"
import { form } from "../Forms.ts"
import { show } from "./Frame.tsx"
import { pages, param } from "./PageRouter.ts"
import { shownFailure } from "./Reply.ts"
import { typed, wrongAddress } from "./SignInRoutes.ts"
import { UpstreamComponent, UpstreamList, UpstreamNote, UpstreamQuestion, UpstreamService } from "./UpstreamPages.tsx"

const words = subscriptionWords("en")

const list = Effect.flatMap(
  ReadUpstream,
  ({ services }) => show({ title: "Status of third parties", body: UpstreamList({ services }) })
)

const service = Effect.gen(function*() {
  const { service } = yield* ReadUpstream
  const found = yield* service(yield* param("service"))
  return yield* show({ title: `Is ${found.entry.name} down?`, body: UpstreamService(found) })
})

const component = Effect.fn("UpstreamRoutes.component")(function*(wrong?: string, code = 200) {
  const { status } = yield* ReadUpstream
  const found = yield* status(yield* param("service"), yield* param("component"))
  const body = UpstreamComponent({ status: found, wrong, email: wrong === undefined ? undefined : yield* typed("email") })
  return yield* show({ title: `${found.serviceName}: ${found.component.name}`, status: code, body })
})

const subscribe = Effect.gen(function*() {
  const { ask } = yield* FollowUpstream
  const address = clientAddress(yield* HttpServerRequest.HttpServerRequest)
  const { email } = yield* form(Schema.Struct({ email: EmailAddress }))
  const sent = yield* ask(yield* param("service"), yield* param("component"), email, address)
  const text = sent ? words.checkMail : words.mailCaptured
  return yield* show({ title: words.subscribe, body: UpstreamNote({ title: words.subscribe, text }) })
}).pipe(
  Effect.catchTags({
    validation_failed: () => component(wrongAddress, 422),
    rate_limited: (failure) => component(shownFailure(failure).hint ?? shownFailure(failure).message, 429)
  })
)

const linked = Effect.all({ id: param("id"), token: param("token"), mails: FollowUpstream })

const note = (text: string) => show({ title: words.subscribe, body: UpstreamNote({ title: words.subscribe, text }) })

const ask = (kind: "confirm" | "unsubscribe") =>
  Effect.gen(function*() {
    const { id, mails, token } = yield* linked
    const { component, entry } = yield* (kind === "confirm" ? mails.toConfirm : mails.toLeave)(id, token)
    const about = component.name === entry.name ? entry.name : `${entry.name} ${component.name}`
    const title = kind === "confirm" ? `Get mail about ${about}?` : `Stop mail about ${about}?`
    const button = kind === "confirm" ? words.confirm : words.unsubscribe
    return yield* show({ title, body: UpstreamQuestion({ title, button, action: `/status-alerts/${id}/${kind}/${token}` }) })
  })

const confirm = Effect.gen(function*() {
  const { id, mails, token } = yield* linked
  yield* mails.confirm(id, token)
  return yield* note(words.confirmed)
})

/** Also what mail programs post (RFC 8058), from another origin: the token alone entitles to it. */
const unsubscribe = Effect.gen(function*() {
  const { id, mails, token } = yield* linked
  yield* mails.leave(id, token)
  return yield* note(words.unsubscribed)
})

const orInvalid = <A, E, R>(page: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    page,
    (error) => error instanceof NotFound,
    () => show({ title: words.invalidLink, status: 404, body: UpstreamNote({ title: words.subscribe, text: words.invalidLink }) })
  )

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get("/status", list)
    yield* router.get("/status/:service", service)
    yield* router.get("/status/:service/:component", component())
    yield* router.post("/status/:service/:component", subscribe)
    yield* router.get("/status-alerts/:id/confirm/:token", orInvalid(ask("confirm")))
    yield* router.post("/status-alerts/:id/confirm/:token", orInvalid(confirm))
    yield* router.get("/status-alerts/:id/unsubscribe/:token", orInvalid(ask("unsubscribe")))
    yield* router.post("/status-alerts/:id/unsubscribe/:token", orInvalid(unsubscribe))
  })
)
