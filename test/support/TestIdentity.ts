/** Members of one cluster of tests. */
import { Redacted } from "effect"
import { ClusterIdentity } from "../../cluster/ClusterIdentity.ts"

export const testIdentity = ClusterIdentity.ofSecret(Redacted.make("the secret of the runners in tests"))
