/** All pages for people: the way in, the ways to a workspace, and the signed-in home. */
import { Layer } from "effect"
import * as AppRoutes from "./AppRoutes.ts"
import * as JoinRoutes from "./JoinRoutes.ts"
import * as NowhereRoutes from "./NowhereRoutes.ts"
import * as SecurityRoutes from "./SecurityRoutes.ts"
import * as SignInRoutes from "./SignInRoutes.ts"

export const layer = Layer.mergeAll(
  SignInRoutes.layer,
  JoinRoutes.layer,
  AppRoutes.layer,
  SecurityRoutes.layer,
  NowhereRoutes.layer
)
