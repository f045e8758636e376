/** The migrations of this version. */
import initial from "../../../infra/migrations/0001_initial.ts"
import { makeMigrator } from "./Migrator.ts"

/** Every file of infra/migrations by name. The imports are static so that the bundle contains them. */
export const { migrate, verify } = makeMigrator({ "0001_initial": initial })
