/** The owner of reads of public pages: visitors get a share of the database apart from the workspace's own requests. */
export const pageOwner = (workspaceId: string): string => `pages of ${workspaceId}`
