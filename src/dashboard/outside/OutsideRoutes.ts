/** The pages of those who are not signed in: sign-in, joining a workspace, and the targets of links in messages. */
import { Effect, Layer } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import * as AcknowledgeRoutes from "./AcknowledgeRoutes.tsx"
import * as ConnectRoutes from "./ConnectRoutes.ts"
import * as JoinRoutes from "./JoinRoutes.ts"
import * as PagePasswordRoutes from "./PagePasswordRoutes.ts"
import { pages } from "./PageRouter.ts"
import * as SignInRoutes from "./SignInRoutes.ts"
import * as SubscribeRoutes from "./SubscribeRoutes.ts"
import * as SubscriptionRoutes from "./SubscriptionRoutes.ts"
import * as UpstreamRoutes from "./UpstreamRoutes.ts"

/** These paths, and everything below them, belong to the dashboard. */
const areas = ["/app", "/auth", "/claim", "/connect", "/invite", "/register", "/sign-in", "/sign-out"] as const
/** Areas without a page at the path itself. */
const bare = ["/auth", "/claim", "/connect", "/invite", "/register"] as const

const notFound = Effect.fail(
  new NotFound({ message: "This page does not exist", hint: "Check the address for typing errors or missing characters" })
)

/** Not-found pages for unknown paths. */
const notFoundLayer = pages((router) =>
  Effect.forEach(
    [...areas.map((area) => `${area}/*` as const), ...bare],
    (path) => Effect.zipRight(router.get(path, notFound), router.post(path, notFound)),
    { discard: true }
  )
)

export const layer = Layer.mergeAll(
  SignInRoutes.layer,
  JoinRoutes.layer,
  ConnectRoutes.layer,
  AcknowledgeRoutes.layer,
  PagePasswordRoutes.layer,
  SubscribeRoutes.layer,
  SubscriptionRoutes.layer,
  UpstreamRoutes.layer,
  notFoundLayer
)
