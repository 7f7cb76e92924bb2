// How the tests run: every *.test.ts beside what it tests, on the sources, in Node.
import { fileURLToPath } from "node:url";
import type { ViteUserConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));

const config: ViteUserConfig = {
  root,
  test: {
    include: ["{src,model,properties,regressions,bench}/**/*.test.ts"],
    // Copies that are being changed on purpose.
    exclude: ["**/node_modules/**", "**/.tmp/**"],
    environment: "node",
    // A fixed number of runs, never a time limit, decides a property; this only ends a test that hangs.
    testTimeout: 120_000,
    // Both cores of a small machine; the usual is one less than there are.
    maxWorkers: "100%",
    // No retries, no shared state: a test that needs either hides a fault.
    retry: 0,
    isolate: true,
    restoreMocks: true,
    unstubEnvs: true,
    passWithNoTests: false,
  },
};

export default config;
