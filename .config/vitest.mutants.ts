// The unit tests that judge what stories cannot see: of the registry and of the archive's records, in Node.
import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = {
  test: {
    include: [
      "src/registry/*.test.ts",
      "src/tools.test.ts",
      "src/archive/{codec,damage}.test.ts",
      "properties/formatting.test.ts",
      "properties/targets/identity.test.ts",
    ],
    environment: "node",
    testTimeout: 60_000,
  },
};

export default config;
