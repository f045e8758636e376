/** The data of `deploy.created`. */
import { Schema } from "effect"
import { Deploy } from "../deploy/Deploy.ts"

export const DeployCreated = Schema.Struct({ deploy: Deploy.annotations({ description: "The deploy that was recorded" }) })
