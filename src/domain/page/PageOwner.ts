/** For whom public pages are read: a share of the database apart from the workspace's own requests, which its visitors do not wait for. */
export const pageOwner = (workspaceId: string): string => `pages of ${workspaceId}`
