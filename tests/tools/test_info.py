#!/usr/bin/env python3
"""plait info, --help and --version: with drivers, without, and with some that end the process."""

import json
import os
import pathlib
import time
import unittest

import support
from support import Case, info, plait


class Info(Case):
    def system_drivers(self):
        """The .icd files of this machine that give a device."""
        files = [d["file"] for d in info()[1]["drivers"] if d["state"] == "ok" and d["devices"] > 0]
        if not files:
            self.skipTest("this machine has no OpenCL driver")
        return files

    def vendors(self, **drivers):
        """A folder of .icd files: name=library, or name=Path to copy a real one."""
        folder = self.folder / "vendors"
        folder.mkdir()
        for name, library in drivers.items():
            copied = isinstance(library, pathlib.Path) and library.suffix == ".icd"  # else a library's name
            text = library.read_text() if copied else f"{library}\n"
            (folder / f"{name}.icd").write_text(text)
        return f"{folder}/"  # some loaders want the slash

    def test_lists_devices(self):
        self.system_drivers()
        done, found = info()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(found["device_found"])
        device = found["devices"][found["device"]]
        self.assertEqual(device["index"], found["device"])
        self.assertGreater(device["max_group_size"], 0)
        self.assertNotEqual(found["why"], "")
        self.assertEqual(found["cache_folder"], self.cache.name)
        text = plait("info")
        self.expect(0, text, device["name"], found["why"], "Cache of compiled programs: " + self.cache.name,
                    "PLAIT_CACHE_DIR=" + self.cache.name, found["version"])

    def test_device_that_is_not_there(self):
        self.system_drivers()
        self.expect(3, plait("info", "--device", "no such device"), "Device: none", "no such device")
        self.expect(3, plait("info", env={"PLAIT_DEVICE": "97"}), "97")

    def test_no_driver(self):
        for vendors in (self.vendors(), str(self.folder / "missing")):
            environment = {"OCL_ICD_VENDORS": vendors, "OPENCL_VENDOR_PATH": vendors}
            self.expect(3, plait("info", env=environment), "Device: none", "apt-get install pocl-opencl-icd", vendors)
            done, found = info(**environment)
            self.assertEqual(done.returncode, 3)
            self.assertFalse(found["device_found"])
            self.assertEqual(found["devices"], [])

    def test_driver_whose_library_is_missing(self):
        vendors = self.vendors(gone="libNoSuchOpenCL.so.7", real=pathlib.Path(self.system_drivers()[0]))
        done, found = info(OCL_ICD_VENDORS=vendors)
        self.assertEqual(done.returncode, 0, done.stderr)
        gone = found["drivers"][0]
        self.assertEqual((gone["library"], gone["state"]), ("libNoSuchOpenCL.so.7", "no platform"))
        self.assertIn("libNoSuchOpenCL.so.7", gone["detail"])
        self.assertGreater(len(found["devices"]), 0)

    def test_driver_that_crashes(self):
        real = pathlib.Path(self.system_drivers()[0])
        vendors = self.vendors(broken=os.environ["TEST_ICD"], real=real)
        for mode in ("crash", "crash-devices"):
            environment = {"OCL_ICD_VENDORS": vendors, "TEST_ICD_MODE": mode}
            done, found = info(**environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([d["state"] for d in found["drivers"]], ["crashes", "ok"])
            self.assertIn("ends the process with", found["drivers"][0]["detail"])
            self.assertGreater(len(found["devices"]), 0)
            self.expect(0, plait("info", env=environment), "crashes", "broken.icd", found["driver_advice"])
            # What it advises works: no driver is broken then, and the device is the same.
            assignments = found["driver_advice"].removeprefix("export ").split()
            again, advised = info(TEST_ICD_MODE=mode, **dict(a.split("=", 1) for a in assignments))
            self.assertEqual(again.returncode, 0)
            self.assertEqual(advised["driver_advice"], "")
            name = lambda f: f["devices"][f["device"]]["name"]
            self.assertEqual(name(found), name(advised))

    def test_only_driver_crashes(self):
        vendors = self.vendors(broken=os.environ["TEST_ICD"])
        self.expect(3, plait("info", env={"OCL_ICD_VENDORS": vendors, "TEST_ICD_MODE": "crash"}), "crashes",
                    "broken.icd", "Device: none")

    def test_platform_without_devices(self):
        vendors = self.vendors(idle=os.environ["TEST_ICD"], real=pathlib.Path(self.system_drivers()[0]))
        done, found = info(OCL_ICD_VENDORS=vendors, TEST_ICD_MODE="no-devices")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([d["state"] for d in found["drivers"]], ["ok", "ok"])
        self.assertEqual(sorted(p["devices"] > 0 for p in found["platforms"]), [False, True])

    def test_drivers_that_crash_together(self):
        a, b = os.environ["CONFLICT_DRIVERS"].split(":")
        vendors = self.vendors(a=a, b=b, real=pathlib.Path(self.system_drivers()[0]))
        done, found = info(OCL_ICD_VENDORS=vendors)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([d["state"] for d in found["drivers"]], ["no platform", "conflict", "ok"])
        self.assertIn("option registered more than once", found["drivers"][1]["detail"])
        self.assertGreater(len(found["devices"]), 0)

    def test_leaves_no_files(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        vendors = self.vendors(broken=os.environ["TEST_ICD"])
        plait("info", env={"OCL_ICD_VENDORS": vendors, "TEST_ICD_MODE": "crash", "TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])

    def test_wrong_usage(self):
        self.expect(2, plait("info", "--jason"), "--jason")
        self.expect(2, plait("inform"), "inform")
        self.expect(2, plait(), "usage:")
        self.expect(2, plait("help", "nothing"), "nothing")


class Help(Case):
    def test_pages(self):
        self.expect(0, plait("--help"), "plait run", "Exit status")
        for command in ("info", "run"):
            page = plait("help", command)
            self.expect(0, page, "usage: plait " + command, "Exit status")
            self.assertEqual(plait(command, "--help").stdout, page.stdout)

    def test_answers_at_once_without_drivers(self):
        """Less than 50 ms, and no driver is loaded: one that crashes changes nothing."""
        vendors = self.folder / "broken.icd"
        vendors.write_text(os.environ["TEST_ICD"] + "\n")
        environment = {"OCL_ICD_VENDORS": str(vendors), "TEST_ICD_MODE": "crash"}
        fastest = 1.0
        for _ in range(10):
            start = time.perf_counter()
            self.expect(0, plait("--help", env=environment))
            fastest = min(fastest, time.perf_counter() - start)
        if "SANITIZED" not in os.environ:
            self.assertLess(fastest, 0.05)

    def test_version(self):
        done = plait("--version")
        self.expect(0, done)
        self.assertRegex(done.stdout, r"^plait \d+\.\d+\.\d+\n$")
        self.assertEqual(json.loads(plait("info", "--json").stdout)["version"], done.stdout.split()[1])


if __name__ == "__main__":
    unittest.main()
