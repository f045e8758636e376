/** All dashboard pages: sign-in, joining a workspace, and the pages of a signed-in person. */
import { Layer } from "effect"
import * as AppRoutes from "./AppRoutes.ts"
import * as JoinRoutes from "./JoinRoutes.ts"
import * as NotFoundRoutes from "./NotFoundRoutes.ts"
import * as SecurityRoutes from "./SecurityRoutes.ts"
import * as SignInRoutes from "./SignInRoutes.ts"

export const layer = Layer.mergeAll(
  SignInRoutes.layer,
  JoinRoutes.layer,
  AppRoutes.layer,
  SecurityRoutes.layer,
  NotFoundRoutes.layer
)
