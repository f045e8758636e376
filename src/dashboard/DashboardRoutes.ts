/** All dashboard pages: sign-in, joining a workspace, and the pages of a signed-in person. */
import { Layer } from "effect"
import * as AcknowledgeRoutes from "./AcknowledgeRoutes.ts"
import * as AppRoutes from "./AppRoutes.ts"
import * as JoinRoutes from "./JoinRoutes.ts"
import * as NotFoundRoutes from "./NotFoundRoutes.ts"
import * as PagePasswordRoutes from "./PagePasswordRoutes.ts"
import * as SecurityRoutes from "./SecurityRoutes.ts"
import * as SignInRoutes from "./SignInRoutes.ts"
import * as SubscriptionRoutes from "./SubscriptionRoutes.ts"
import * as UpstreamRoutes from "./UpstreamRoutes.ts"

export const layer = Layer.mergeAll(
  SignInRoutes.layer,
  JoinRoutes.layer,
  AcknowledgeRoutes.layer,
  AppRoutes.layer,
  SecurityRoutes.layer,
  PagePasswordRoutes.layer,
  SubscriptionRoutes.layer,
  UpstreamRoutes.layer,
  NotFoundRoutes.layer
)
