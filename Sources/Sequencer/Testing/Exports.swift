// A test of a launch has with one import all that it is written with.
@_exported import Sequencer
@_exported import SequencerTestingCore
