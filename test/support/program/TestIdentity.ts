/** Members of one cluster of tests. */
import { ClusterIdentity } from "../../../cluster/ClusterIdentity.ts"

export const testIdentity = ClusterIdentity.ofKey(Buffer.alloc(32, 7))
