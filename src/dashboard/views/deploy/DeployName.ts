/** How a deploy is called: the service and its version or commit. */
import type { Deploy } from "../../../../schema/deploy/Deploy.ts"

export const deployName = ({ commit, service, version }: Deploy): string =>
  [service, version ?? commit?.slice(0, 10)].filter((part) => part !== null && part !== undefined).join(" ") || "Deploy"
