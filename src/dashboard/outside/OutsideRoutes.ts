/** The pages of those who are not signed in: sign-in, joining a workspace, and the targets of links in messages. */
import { Layer } from "effect"
import * as AcknowledgeRoutes from "./AcknowledgeRoutes.ts"
import * as JoinRoutes from "./JoinRoutes.ts"
import * as NotFoundRoutes from "./NotFoundRoutes.ts"
import * as PagePasswordRoutes from "./PagePasswordRoutes.ts"
import * as SignInRoutes from "./SignInRoutes.ts"
import * as SubscriptionRoutes from "./SubscriptionRoutes.ts"
import * as UpstreamRoutes from "./UpstreamRoutes.ts"

export const layer = Layer.mergeAll(
  SignInRoutes.layer,
  JoinRoutes.layer,
  AcknowledgeRoutes.layer,
  PagePasswordRoutes.layer,
  SubscriptionRoutes.layer,
  UpstreamRoutes.layer,
  NotFoundRoutes.layer
)
